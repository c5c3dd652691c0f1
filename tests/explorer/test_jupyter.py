"""The widget in JupyterLab: a real server, a real kernel, a real browser."""

import importlib.util
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

import uapca
from builders import browser

playwright = pytest.importorskip("playwright.sync_api")
# Importing JupyterLab takes seconds, which every run of the tests would pay.
lab_is_here = importlib.util.find_spec("jupyterlab") is not None
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not lab_is_here, reason="jupyterlab is not installed"),
]

CELLS = (
    "import uapca\nw = uapca.explore(uapca.datasets.load_students(), title='Students')\nw",
    "print('the scale is', w.scale)",
    "w.scale = float('inf')",
)
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
PATIENCE = 120_000


def notebook():
    cells = [
        {
            "id": f"cell-{i}",
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": source,
        }
        for i, source in enumerate(CELLS)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture
def lab(tmp_path):
    """The address of a JupyterLab on this machine alone, with the notebook in its folder."""
    (tmp_path / "students.ipynb").write_text(json.dumps(notebook()))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    token = secrets.token_hex(16)
    own = {
        "HOME": tmp_path,
        "IPYTHONDIR": tmp_path / "ipython",
        "JUPYTER_CONFIG_DIR": tmp_path / "config",
        "JUPYTER_DATA_DIR": tmp_path / "data",
        "JUPYTER_RUNTIME_DIR": tmp_path / "runtime",
        "JUPYTER_TOKEN": token,
        "PYTHONPATH": Path(uapca.__file__).parents[1],
    }
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
        f"--ServerApp.root_dir={tmp_path}",
        "--LabApp.news_url=None",
    ]
    log = tmp_path / "log.txt"
    with log.open("w") as file:
        server = subprocess.Popen(
            command,
            env={**os.environ, **{key: str(value) for key, value in own.items()}},
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that its kernel can be ended with it
        )
    try:
        _wait_for(f"http://127.0.0.1:{port}/api", server, log)
        yield f"http://127.0.0.1:{port}/lab/tree/students.ipynb?reset&token={token}"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=60)


def _wait_for(address, server, log):
    end = time.monotonic() + PATIENCE / 1000
    while True:
        try:
            with urllib.request.urlopen(address):
                return
        except OSError:
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.2)


def test_the_widget_lives_in_a_notebook(lab):
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=browser(), args=list(FLAGS))
        page = opened.new_page(viewport={"width": 1400, "height": 1000})
        page.set_default_timeout(PATIENCE)
        broken = []
        page.on("pageerror", lambda error: broken.append(str(error)))
        # On a busy machine JupyterLab may ask which kernel to use, or say that one is slow.
        dialog = page.locator(".jp-Dialog .jp-mod-accept")
        page.add_locator_handler(dialog, lambda: dialog.first.click())
        page.goto(lab)

        def run(index):
            """Run a cell; again, as a person would, if it is forgotten: the kernel is starting."""
            cell = page.locator(".jp-Notebook .jp-Cell").nth(index)
            prompt = cell.locator(".jp-InputPrompt")
            before = prompt.inner_text()
            end = time.monotonic() + PATIENCE / 1000
            while time.monotonic() < end:
                cell.locator(".cm-content").click()
                page.keyboard.press("Control+Enter")
                page.wait_for_timeout(1000)
                while "*" in prompt.inner_text() and time.monotonic() < end:
                    page.wait_for_timeout(200)
                if prompt.inner_text() not in (before, "[ ]:"):
                    return
            raise AssertionError(f"cell {index} was not run")

        run(0)
        # Roles are found inside the widget's shadow root too.
        slider = page.get_by_role("slider", name="Scale s of the uncertainty")
        slider.wait_for()
        assert slider.input_value() == "0.5"

        slider.focus()
        for key in "ddaabb":  # in a notebook: delete the cell, add some
            page.keyboard.press(key)
        assert page.locator(".jp-Notebook .jp-Cell").count() == len(CELLS)

        def printed(scale):
            """Changes are sent after a moment: the cell is run until it prints them."""
            said = page.get_by_text(f"the scale is {scale}", exact=True)
            end = time.monotonic() + PATIENCE / 1000
            while not said.count() and time.monotonic() < end:
                page.wait_for_timeout(300)
                run(1)
            said.wait_for()

        slider.fill("0.75")  # u, so that s = 3
        printed("3.0")
        run(2)
        page.wait_for_function("""(slider) => slider.value === "1" """, arg=slider.element_handle())
        printed("inf")
        assert broken == []
        opened.close()
