"""``uapca figures``."""


def test_figures_are_listed_and_misspelled_ones_found(run, fails, folder):
    from uapca.figures import NAMES

    assert run("figures", "--list").stdout.split() == list(NAMES)
    assert fails("figures", "-o", "out", "teasr").startswith(
        "there is no figure 'teasr'; did you mean 'teaser'?"
    )
    assert fails("figures") == "name a folder to write into: uapca figures -o DIR."
    (folder / "file").write_text("")
    assert fails("figures", "-o", "file") == (
        "Invalid value for '-o' / '--output': Directory 'file' is a file."
    )
    assert fails("figures", "-o", "file/below") == (
        f"the folder '{folder.resolve() / 'file'}' cannot be written to (Not a directory). "
        "Choose another one with -o."
    )
    assert not (folder / "out").exists()


def test_some_figures_with_captions_and_a_contact_sheet(run, fails, folder):
    names = ["closed-projection", "teaser"]
    result = run("figures", "-o", "a/b", *names, "--contact-sheet")
    assert result.exit_code == 0, result.stderr
    assert sorted(p.name for p in (folder / "a/b").iterdir()) == [
        "captions.md",
        "closed-projection.svg",
        "contact-sheet.png",
        "teaser.svg",
    ]
    text = (folder / "a/b/captions.md").read_text(encoding="utf-8")
    assert "![teaser](teaser.svg)" in text
    assert fails("figures", "-o", "a/b", "teaser") == (
        "teaser.svg exists already in 'a/b'. Add --force to replace it."
    )
    assert fails("figures", "-o", "a/b", *names) == (
        "teaser.svg, closed-projection.svg exist already in 'a/b'. Add --force to replace them."
    )


def headings(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line[3:] for line in lines if line.startswith("## ")]


def test_captions_of_earlier_figures_are_kept(run, fails, folder):
    out = folder / "out"
    assert run("figures", "-o", "out", "closed-projection").exit_code == 0
    alone = (out / "captions.md").read_text(encoding="utf-8")
    result = run("figures", "-o", "out", "teaser")
    assert result.exit_code == 0, result.stderr
    both = (out / "captions.md").read_text(encoding="utf-8")
    assert headings(out / "captions.md") == ["teaser", "closed-projection"]
    assert both.endswith(alone.partition("\n## ")[2])
    # Drawn again, a figure has one caption; a figure that is gone has none.
    (out / "closed-projection.svg").unlink()
    assert run("figures", "-o", "out", "teaser", "--force").exit_code == 0
    assert headings(out / "captions.md") == ["teaser"]


def test_a_file_of_captions_that_is_not_ours_is_kept(fails, folder):
    (folder / "captions.md").write_text("mine")
    assert fails("figures", "-o", ".", "closed-projection") == (
        "captions.md exists already in '.'. Add --force to replace it."
    )
    assert (folder / "captions.md").read_text() == "mine"
    assert not (folder / "closed-projection.svg").exists()


def test_a_missing_data_set_is_said_and_the_rest_is_drawn(run, folder, monkeypatch):
    def offline(url, timeout):
        raise OSError("no network")

    monkeypatch.setenv("UAPCA_DATA", str(folder / "empty"))
    monkeypatch.setattr("uapca.datasets.anuran.urlopen", offline)
    result = run("figures", "-o", "out", "anuran", "closed-projection", "-q")
    assert result.exit_code == 3
    assert (folder / "out/closed-projection.svg").exists()
    assert not (folder / "out/anuran.svg").exists()
    assert result.stderr.startswith("uapca: the figure anuran was not drawn: ")
    assert "UAPCA_DATA" in result.stderr
    assert result.stderr.count("\n") == 1
    nothing = run("figures", "-o", "none", "anuran")
    assert nothing.exit_code == 3
    assert nothing.stderr.startswith("uapca: the figure anuran was not drawn: ")
    assert not (folder / "none").exists()
    alone = run("fit", "anuran", "-q")
    assert alone.exit_code == 2
    assert "UAPCA_DATA" in alone.stderr
    assert alone.stderr.count("\n") == 1
