"""``uapca plot``."""

import re
import xml.dom.minidom

import pytest

from uapca.cli.plot import KINDS

STARTS = {".svg": b"<?xml", ".png": b"\x89PNG", ".pdf": b"%PDF", ".gif": b"GIF8"}


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "distributions"])
def test_every_kind_of_picture(run, tmp_path, kind):
    path = tmp_path / "p.png"
    result = run("plot", "students", kind, "-o", path)
    assert result.exit_code == 0, result.stderr
    assert path.read_bytes().startswith(STARTS[".png"])
    assert result.stderr.endswith(f"wrote '{path}' ({kind})\n")


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf"])
def test_every_format_and_the_same_file_twice(run, tmp_path, suffix):
    path = tmp_path / f"p{suffix}"
    assert run("plot", "teaser", "distributions", "-o", path).exit_code == 0
    first = path.read_bytes()
    assert first.startswith(STARTS[suffix])
    assert run("plot", "teaser", "distributions", "-o", path, "--force").exit_code == 0
    assert path.read_bytes() == first


def test_options_reach_the_picture(run, tmp_path):
    def text(*options):
        path = tmp_path / "p.svg"
        result = run("plot", "students", *options, "-o", path, "--force")
        assert result.exit_code == 0, result.stderr
        return path.read_text(encoding="utf-8")

    assert "PC1 (67.8" in text("projection")
    other = text("projection", "--pair", "3,4", "--level", "0.5", "--scale", "0")
    assert "PC3" in other
    assert "PC1" not in other
    assert "50 % of each row" in other
    assert "s = 0" in other
    one = text("projection", "--pair", "2")
    assert "PC2" in one
    assert "PC1" not in one
    assert "one standard error of its direction" in text("loadings")


def test_the_height_follows_from_the_width(run, tmp_path):
    def size(*options):
        path = tmp_path / "p.svg"
        assert run("plot", "students", "projection", *options, "-o", path, "--force").exit_code == 0
        drawn = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', path.read_text("utf-8"))
        return [float(number) / 72 for number in drawn.groups()]

    usual = size()
    assert size("--width", "3.5") == pytest.approx(usual)
    assert size("--width", "3.5in") == pytest.approx(usual)
    wide, high = size("--width", "8.5cm")
    assert wide == pytest.approx(8.5 / 2.54)
    assert high == pytest.approx(usual[1], rel=0.1)
    for wrong in ("wide", "nan", "8.5.5cm"):
        result = run("plot", "students", "projection", "--width", wrong, "-o", tmp_path / "no.svg")
        assert result.exit_code != 0
        assert f"'{wrong}' is no width" in result.stderr
    result = run("plot", "students", "projection", "--width", "127cm", "-o", tmp_path / "no.svg")
    assert result.stderr == "uapca: error: --width must be from 1.5 to 40 inches; got 50.0\n"


def test_names_do_not_break_a_picture(run, tmp_path):
    table = tmp_path / "evil.csv"
    table.write_text(
        'name,"<b>&""x",y$\\frac$,"<b>&""x_err"\n'
        '"</text><script>alert(1)</script>",1,2,0.1\n"$\\\\alpha_$",2,3,0.2\n'
        '"\x1b[31m\x01]]>",3,9,0.1\n\u202e漢,4,1,0.1\n'
    )
    for kind in ("projection", "traces", "biplot", "loadings", "components"):
        path = tmp_path / f"{kind}.svg"
        result = run("plot", table, kind, "-o", path)
        assert result.exit_code == 0, result.stderr
        document = xml.dom.minidom.parse(str(path))
        assert not document.getElementsByTagName("script")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["students", "projektion", "-o", "p.svg"],
            "there is no picture 'projektion'; did you mean 'projection'? There are distributions, "
            "projection, matrix, traces, eigenvalues, progression, scree, biplot, loadings, "
            "contributions, cos2, components, shepard, count, simulation.",
        ),
        (["students", "scree"], "a picture needs a file: -o FILE.svg, .png or .pdf."),
        (
            ["students", "scree", "-o", "p.gif"],
            "-o 'p.gif' ends in '.gif'. The ending says what is written: .svg, .png or .pdf.",
        ),
        (["students", "scree", "-o", "-"], "a picture needs a file: -o FILE.svg, .png or .pdf."),
        (
            ["students", "biplot", "-o", "p.svg", "--pair", "0,1"],
            "Invalid value for '--pair': must be two different components counted from 1, such as "
            "1,3; got '0,1'.",
        ),
        (
            ["students", "biplot", "-o", "p.svg", "--level", "95"],
            "Invalid value for '--level': must be probabilities between 0 and 1; got '95'.",
        ),
        *(
            (
                ["students", kind, "-o", "p.svg", "--pair", "1,1"],
                "Invalid value for '--pair': must be two different components counted from 1, such "
                "as 1,3; got '1,1'.",
            )
            for kind in ("projection", "biplot", "contributions", "cos2")
        ),
        (
            ["students", "progression", "-o", "p.gif", "--level", "0.5,0.9"],
            "progression shows one probability: --level 0.5.",
        ),
        (
            ["students", "scree", "-o", "p.svg", "--level", "0.5", "--scale", "inf"],
            "scree has no intervals at --scale inf. Leave --level out.",
        ),
        (
            ["students", "progression", "-o", "p.gif", "--title", "Turning"],
            "a film has no --width and no --title. Leave them out.",
        ),
    ],
)
def test_complaints_come_first(fails, folder, arguments, message):
    assert fails("plot", *arguments) == message
    assert not list(folder.glob("p.*"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["students", "distributions"],
            "X must have one or two features; got 4: choose with --features, or plot the "
            "projection",
        ),
        (["students", "biplot", "--pair", "1,5"], "--pair asks for component 5 of 4 components."),
        (["two.csv", "biplot", "--pair", "1,3"], "--pair asks for component 3 of 2 components."),
        (["students", "biplot", "--pair", "2"], "--pair must be two different numbers"),
        (
            ["students", "components", "-s", "inf"],
            "pca must have a finite scale; errors of infinite rows have no size",
        ),
        (
            ["students", "simulation", "-s", "inf"],
            "s must be finite; got inf; --scale inf is the limit of the fit",
        ),
        (
            ["students", "projection", "--ellipses", "mean"],
            "--ellipses must have groups to be drawn for; add --groups COLUMN",
        ),
        (
            ["students", "projection", "--palette", "blau"],
            "--palette must name colors that matplotlib knows; got 'blau'",
        ),
    ],
)
def test_complaints_about_the_data(fails, folder, arguments, message):
    (folder / "two.csv").write_text("x,y,z\n1,2,3\n2,5,1\n")
    assert fails("plot", *arguments, "-o", "p.svg", "-q") == message
    assert not list(folder.glob("p.*"))


VALUES = {
    "pair": "1,2",
    "level": "0.9",
    "encode": "gap",
    "draws": "10",
    "seed": "1",
    "scale": "1",
    "labels": None,
    "groups": "type",
    "palette": "red",
    "top": "2",
}
IGNORED = {
    kind: tuple(option for option in VALUES if option not in used)
    for kind, (_, used) in KINDS.items()
}


def test_options_of_the_kinds():
    assert IGNORED["eigenvalues"] == tuple(VALUES)
    assert IGNORED["projection"] == ("encode", "draws", "seed", "top")
    assert IGNORED["simulation"] == ("encode", "top")
    assert set(IGNORED["loadings"]) == set(VALUES) - {"scale", "pair", "top"}


@pytest.mark.parametrize(
    ("kind", "option"), [(kind, option) for kind in KINDS for option in IGNORED[kind]]
)
def test_an_option_that_changes_nothing_is_refused(fails, folder, kind, option):
    """Even with its default value: who gives it expects something of it."""
    value = [VALUES[option]] if VALUES[option] is not None else []
    message = fails("plot", "teaser", kind, "-o", "p.svg", f"--{option}", *value)
    assert message == f"--{option} means nothing for {kind}. Leave it out."
    assert not list(folder.glob("p.*"))


# A value of each option that is not its default.
OTHER = {"pair": ["1,3"], "level": ["0.6"], "encode": ["gap"], "draws": ["40"], "seed": ["7"]}
OTHER |= {
    "scale": ["2"],
    "labels": [],
    "groups": ["type"],
    "palette": ["#aa0000,#00aa00"],
    "top": ["2"],
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_option_that_is_taken_changes_the_picture(run, folder, kind):
    """The file differs from the one that is written without them."""
    data = "teaser" if kind == "distributions" else "stars.csv"

    def scene(*options):
        result = run("plot", data, kind, "-o", "p.svg", "--force", *options)
        assert result.exit_code == 0, result.stderr
        return (folder / "p.svg").read_bytes()

    usual = scene()
    assert scene() == usual
    for option in sorted(set(OTHER) - set(IGNORED[kind])):
        value = ["2"] if (option, kind) == ("pair", "projection") else OTHER[option]
        if option == "groups" and data == "teaser":  # bundled data has no other columns
            continue
        name = "--no-labels" if option == "labels" else f"--{option}"
        assert scene(name, *value) != usual, option


GAPS = "name,x,x_err,y,kind\n" + "".join(
    f"r{i},{i % 5 if i != 3 else ''},0.3,{i % 7},{'odd' if i % 2 else 'even'}\n" for i in range(20)
)


def test_groups_belong_to_the_rows_that_are_left(run, fails, folder):
    (folder / "gaps.csv").write_text(GAPS)
    options = ("projection", "--missing", "drop", "--groups", "kind", "-o", "p.svg")
    assert run("plot", "gaps.csv", *options).exit_code == 0
    complete = "".join(line for line in GAPS.splitlines(True) if not line.startswith("r3,"))
    (folder / "rest.csv").write_text(complete)
    drawn = (folder / "p.svg").read_bytes()
    run("plot", "rest.csv", *options, "--force")
    assert (folder / "p.svg").read_bytes() == drawn
    (folder / "nameless.csv").write_text(GAPS.replace("name,", "u,").replace("\nr", "\n"))
    said = run("plot", "nameless.csv", *options, "--force", "--exclude", "u").stderr
    assert "has 20 entries for 19 rows. Name the rows with --names COLUMN" in said


def test_components_are_counted_with_empty_cells(run, folder):
    (folder / "gaps.csv").write_text(GAPS)
    result = run("plot", "gaps.csv", "count", "--missing", "keep", "-o", "c.svg")
    assert result.exit_code == 0, result.stderr


def test_scree_has_its_error_bars_at_every_scale(run, tmp_path):
    path = tmp_path / "p.svg"
    run("plot", "students", "scree", "-o", path, "--scale", "2", "--level", "0.5")
    text = path.read_text(encoding="utf-8")
    assert "within rows (uncertainty)" in text
    assert ">uncertainty scale s = 2</text>" in text
    assert "50 % interval" in text


@pytest.mark.parametrize(
    "kind", ["distributions", "projection", "scree", "contributions", "cos2", "components"]
)
def test_pictures_of_one_feature(run, folder, kind):
    (folder / "one.csv").write_text("x,x_err\n1,.1\n2,.1\n4,.1\n")
    result = run("plot", "one.csv", kind, "-o", "p.png")
    assert result.exit_code == 0, result.stderr
    assert (folder / "p.png").read_bytes().startswith(STARTS[".png"])


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("traces", "traces must have at least 2 features; a single axis has nowhere to turn"),
        ("eigenvalues", "traces must have at least 2 features; a single axis has nowhere to turn"),
        ("progression", "X must have at least 2 features; a single axis has nowhere to turn"),
        ("biplot", "pca must have at least 2 components; it has 1"),
        ("loadings", "pca must have at least 2 components; it has 1"),
        ("simulation", "pca must have at least 2 components; it has 1"),
        ("matrix", "pca must have at least 2 components; it has 1"),
    ],
)
def test_one_feature_does_not_turn_and_is_no_plane(fails, folder, kind, rule):
    (folder / "one.csv").write_text("x,x_err\n1,.1\n2,.1\n4,.1\n")
    assert fails("plot", "one.csv", kind, "-o", "p.png", "-q") == rule


def test_labels_can_be_left_out_and_forced(run, folder):
    def text(data, *options):
        result = run("plot", data, "projection", "-o", "p.svg", "--force", *options)
        assert result.exit_code == 0, result.stderr
        return (folder / "p.svg").read_text(encoding="utf-8")

    for count in (5, 60):
        rows = "".join(f"row-{i},{i},{i % 7},0.1\n" for i in range(count))
        (folder / f"{count}.csv").write_text(f"name,x,y,x_err\n{rows}")
    assert 'id="name:row-4"' in text("5.csv")
    assert 'id="name:row-4"' not in text("5.csv", "--no-labels")
    assert 'id="name:row-59"' not in text("60.csv")
    assert 'id="name:row-59"' in text("60.csv", "--labels")


def test_a_film(run, tmp_path, monkeypatch):
    import functools

    from uapca import plot

    levels = []

    def short(*arguments, **keywords):
        levels.append(keywords.get("level"))
        return animate(*arguments, **keywords)

    animate = functools.partial(plot.animation, seconds=0.4, fps=5, dpi=40)
    monkeypatch.setattr(plot, "animation", short)
    path = tmp_path / "p.gif"
    result = run("plot", "progression", "progression", "-o", path, "--level", "0.5")
    assert result.exit_code == 0, result.stderr
    assert path.read_bytes().startswith(STARTS[".gif"])
    assert levels == [0.5]


def test_ellipses_of_groups(run, fails, folder):
    plain = run("plot", "stars.csv", "projection", "--groups", "type", "-o", "a.svg")
    assert plain.exit_code == 0, plain.stderr
    made = run(
        "plot", "stars.csv", "projection", "--groups", "type", "--ellipses", "mixture",
        "-o", "b.svg",
    )  # fmt: skip
    assert made.exit_code == 0, made.stderr
    assert "group:K" in (folder / "b.svg").read_text()
    assert "group:K" not in (folder / "a.svg").read_text()
    arguments = ["plot", "stars.csv", "projection", "--ellipses", "mean", "-o", "c.svg"]
    assert "--groups COLUMN" in run(*arguments).stderr
    arguments = ["plot", "stars.csv", "biplot", "--ellipses", "mean", "-o", "c.svg"]
    assert fails(*arguments) == "--ellipses means nothing for biplot. Leave it out."
