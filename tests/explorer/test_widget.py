"""The widget through anywidget's protocol: a comm that records, and the bundle at its other end."""

import base64
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import traitlets

import uapca
from builders import program, random_uncertain
from explorer.node import BUNDLE


class RecordingComm:
    """A comm without a kernel: what Python sends is kept, what a browser sends is handed over."""

    comm_id = "recorded"
    kernel = True  # widgets send nothing without one

    def __init__(self, data=None, buffers=None, **_):
        self.sent = []
        self.opened = (data, buffers)

    def on_msg(self, callback):
        self.receive = callback

    def on_close(self, callback):
        pass

    def send(self, data=None, metadata=None, buffers=None):
        self.sent.append(data)

    def close(self, *_, **__):
        pass


class Browser:
    """The other end: Node with the bundle's widget host."""

    def __init__(self):
        script = Path(__file__).with_name("comm.mjs")
        self.process = subprocess.Popen(
            [program("node"), str(script), str(BUNDLE)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def tell(self, **event):
        self.process.stdin.write(json.dumps(event) + "\n")
        self.process.stdin.flush()

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=30)
        self.process.stdout.close()


@pytest.fixture
def comms(monkeypatch):
    made = []

    def create(**arguments):
        made.append(RecordingComm(**arguments))
        return made[-1]

    monkeypatch.setattr("comm.create_comm", create)
    return made


@pytest.fixture
def students(comms):
    return uapca.explore(uapca.datasets.load_students(), title="Students"), comms[-1]


@pytest.fixture
def linked(students):
    """A widget and a browser that has opened it."""
    widget, comm = students
    data, buffers = comm.opened
    browser = Browser()
    browser.tell(
        kind="open",
        state=data["state"],
        paths=data["buffer_paths"],
        buffers=[base64.b64encode(buffer).decode() for buffer in buffers],
    )
    first = browser.hear()
    yield widget, comm, browser, first
    browser.end()


def from_browser(comm, message):
    comm.receive({"content": {"data": {**message, "buffer_paths": []}}, "buffers": []})


def test_data_travels_as_buffers(students):
    widget, comm = students
    data, buffers = comm.opened
    state = data["state"]
    assert state["_esm"] == BUNDLE.read_text()
    assert state["scale"] == 1.0
    assert state["pair"] == [0, 1]
    paths = dict(zip(map(tuple, data["buffer_paths"]), buffers, strict=True))
    mean = np.frombuffer(paths["_payload", "mean", "data"]).reshape(6, 4)
    np.testing.assert_array_equal(mean, uapca.datasets.load_students().mean)
    assert repr(widget) == "Explorer of 6 rows × 4 features"


def test_the_browser_opens_what_python_sends(linked):
    _, _, browser, first = linked
    pca = uapca.UAPCA().fit(uapca.datasets.load_students())
    np.testing.assert_allclose(first["shares"], pca.explained_variance_ratio_, rtol=0, atol=1e-12)
    assert first["state"] == {
        "scale": 1,
        "weights": None,
        "selection": [],
        "pair": [0, 1],
        "level": 0.95,
        "standardize": False,
        "hovered": None,
    }
    browser.tell(kind="close")
    assert browser.hear() == {"listening": 0}


@pytest.mark.parametrize(
    ("trait", "value", "arrives"),
    [
        ("scale", 0.25, 0.25),
        ("scale", np.inf, "inf"),
        ("weights", [2, 1, 1, 0, 0, 0], [0.5, 0.25, 0.25, 0, 0, 0]),
        ("weights", np.ones(6), [1 / 6] * 6),
        ("selection", ["Jane", 0], [0, 3]),
        ("pair", (2, 0), [2, 0]),
        ("level", 0.5, 0.5),
        ("standardize", True, True),
    ],
)
def test_from_python_to_the_browser(linked, trait, value, arrives):
    widget, comm, browser, _ = linked
    setattr(widget, trait, value)
    (message,) = comm.sent
    assert message["method"] == "update"
    browser.tell(kind="from python", state=message["state"])
    found = browser.hear()["state"][trait]
    assert found == (pytest.approx(arrives) if trait == "weights" else arrives)


@pytest.mark.parametrize(
    ("change", "trait", "value"),
    [
        ({"scale": 3.5}, "scale", 3.5),
        ({"scale": "inf"}, "scale", np.inf),
        ({"weights": [0, 0, 3, 0, 0, 1]}, "weights", [0, 0, 0.75, 0, 0, 0.25]),
        ({"selection": [4, 1, 4]}, "selection", [1, 4]),
        ({"pair": [3, 1]}, "pair", [3, 1]),
        ({"level": 0.8}, "level", 0.8),
        ({"standardize": True}, "standardize", True),
    ],
)
def test_from_the_browser_to_python(linked, change, trait, value):
    widget, comm, browser, _ = linked
    heard = []
    widget.observe(lambda event: heard.append((event["name"], event["new"])), trait)
    browser.tell(kind="by person", change=change)
    message = browser.hear()
    assert list(message["state"]) == [trait]
    from_browser(comm, message)
    assert getattr(widget, trait) == value
    assert heard == [(trait, value)]


def test_what_makes_no_sense_is_not_sent(linked):
    _, _, browser, _ = linked
    for change in (
        {"scale": -1},
        {"weights": [1, 2]},
        {"weights": [0] * 6},
        {"weights": [-1, 1, 1, 1, 1, 1]},
        {"pair": [0, 9]},
        {"pair": [1, 1]},
        {"level": 1},
    ):
        browser.tell(kind="by person", change=change)
    browser.tell(kind="by person", change={"level": 0.5})
    assert browser.hear() == {"method": "update", "state": {"level": 0.5}}


def test_a_reset_reaches_python(linked):
    widget, comm, browser, _ = linked
    widget.weights = [1, 0, 0, 0, 0, 0]
    browser.tell(kind="from python", state=comm.sent[-1]["state"])
    browser.hear()
    browser.tell(kind="by person", change={"weights": None})
    from_browser(comm, browser.hear())
    assert widget.weights is None


def test_quick_changes_are_gathered(linked):
    _, _, browser, _ = linked
    for k in range(5):
        browser.tell(kind="by person", change={"scale": 0.1 * k})
    browser.tell(kind="by person", change={"selection": [2]})
    assert browser.hear() == {"method": "update", "state": {"scale": 0.4, "selection": [2]}}


@pytest.mark.parametrize(
    ("trait", "value", "message"),
    [
        (
            "scale",
            -1,
            "scale must be a number from 0 to infinity; got -1",
        ),
        (
            "weights",
            [1, 2],
            "weights must have one entry for each of the 6 rows; got shape (2,)",
        ),
        (
            "selection",
            ["Eve"],
            "selection must hold rows by name, or by position from 0 to 5; got 'Eve'",
        ),
        (
            "selection",
            [6],
            "selection must hold rows by name, or by position from 0 to 5; got 6",
        ),
        (
            "pair",
            (0, 0),
            (
                "pair must be two different components, counted from 0, of the 4 there are; "
                "got (0, 0)"
            ),
        ),
        (
            "pair",
            3,
            ("pair must be two different components, counted from 0, of the 4 there are; got 3"),
        ),
        (
            "level",
            95,
            "level must be between 0 and 1; got 95",
        ),
        *(
            (
                "selection",
                value,
                f"selection must hold rows by name, or by position from 0 to 5; got {value!r}",
            )
            for value in (None, 1.5, True)
        ),
        (
            "scale",
            None,
            "scale must be a number from 0 to infinity; got None",
        ),
        *(
            (
                "pair",
                value,
                "pair must be two different components, counted from 0, of the 4 there are; got "
                f"{value!r}",
            )
            for value in (None, [[0], [1]])
        ),
        (
            "level",
            None,
            "level must be between 0 and 1; got None",
        ),
        (
            "level",
            "much",
            "level must be between 0 and 1; got 'much'",
        ),
    ],
)
def test_values_are_checked(students, trait, value, message):
    widget, comm = students
    before = getattr(widget, trait)
    with pytest.raises(ValueError) as error:
        setattr(widget, trait, value)
    assert str(error.value) == message
    assert getattr(widget, trait) == before
    assert comm.sent == []


def test_standardize_is_a_switch(students):
    with pytest.raises(traitlets.TraitError):
        students[0].standardize = "yes"


def test_weights_are_fixed_where_the_path_is(comms):
    X = random_uncertain(np.random.default_rng(0), n=4, d=61, kind="diagonal")
    widget = uapca.explore(X)
    with pytest.raises(ValueError) as error:
        widget.weights = [1, 0, 0, 0]
    assert str(error.value) == (
        "weights must stay those of the data for more than 60 features, whose "
        "components were computed beforehand; explore X.reweighted(weights)"
    )
    widget.weights = None
    with pytest.raises(ValueError, match="of the 4 there are"):
        widget.pair = (0, 4)


def test_the_page_opens_as_the_widget_stands(students, tmp_path):
    widget, _ = students
    widget.scale = np.inf
    widget.selection = ["Bob"]
    widget.weights = [1, 1, 0, 0, 0, 0]
    widget.pair = (2, 1)
    page = widget.to_html(tmp_path / "page.html").read_text()
    text = page.split('id="uapca-explorer-data">')[1].split("</script>")[0]
    assert json.loads(text)["state"] == {
        "scale": "inf",
        "weights": [0.5, 0.5, 0, 0, 0, 0],
        "selection": [2],
        "pair": [2, 1],
        "level": 0.95,
        "standardize": False,
    }


def test_without_anywidget(monkeypatch, tmp_path):
    """Nothing is missed until the explorer is to be shown in a cell."""
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "uapca.explorer.widget", raising=False)
    explorer = uapca.explore(uapca.datasets.load_students())
    assert explorer.to_html(tmp_path / "page.html").stat().st_size > 10_000
    assert repr(explorer) == (
        "Explorer of 6 rows × 4 features: to_html(path) writes its page; to see it in a notebook, "
        'pip install "uapca[explore]"'
    )
