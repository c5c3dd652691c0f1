"""``uapca explore``."""

import pytest


def test_a_page_is_written(run, folder):
    result = run("explore", "students", "-o", "s.html")
    assert result.exit_code == 0, result.stderr
    page = (folder / "s.html").read_text(encoding="utf-8")
    assert page.lstrip().lower().startswith("<!doctype html>")
    assert "Tom" in page
    assert result.stderr.endswith("wrote 's.html' (interactive page)\n")


def test_rows_are_colored_by_a_column(run, folder):
    assert run("explore", "stars.csv", "-o", "s.html").exit_code == 0
    assert run("explore", "stars.csv", "--groups", "type", "-o", "g.html").exit_code == 0
    assert len((folder / "g.html").read_bytes()) > len((folder / "s.html").read_bytes())


def test_labels_cannot_end_the_script(run, folder):
    (folder / "evil.csv").write_text(
        'name,x,x_err,y\n"</script><img src=x onerror=alert(1)>",1,0.1,2\n"<!--",2,0.1,4\nc,3,1,1\n'
    )
    assert run("explore", "evil.csv", "-o", "e.html").exit_code == 0
    page = (folder / "e.html").read_text(encoding="utf-8")
    assert "</script><img" not in page
    assert "<img src=x" not in page


def test_it_is_opened_on_demand(run, folder, monkeypatch):
    opened = []

    def browser(address):
        opened.append(address)
        return True

    monkeypatch.setattr("webbrowser.open", browser)
    result = run("explore", "students", "-o", "s.html", "--open")
    assert result.exit_code == 0
    assert "browser" not in result.stderr
    assert opened == [(folder / "s.html").resolve().as_uri()]
    assert run("explore", "students", "--open").exit_code == 0
    assert opened[1].startswith("file://")


def test_without_a_browser_the_page_is_there_all_the_same(run, folder, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    result = run("explore", "students", "-o", "s.html", "--open")
    assert result.exit_code == 0
    page = (folder / "s.html").resolve()
    assert page.exists()
    assert result.stderr.endswith(f"no browser could be opened. Open '{page}' in one.\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["students"],
            "name the page with -o FILE.html, or add --open to look at it now.",
        ),
        (
            ["students", "-o", "p.pdf"],
            "-o 'p.pdf' ends in '.pdf'. The ending says what is written: .html or .htm.",
        ),
    ],
)
def test_complaints(fails, folder, arguments, message):
    assert fails("explore", *arguments) == message
