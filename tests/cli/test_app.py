"""The program as a whole: its help, its errors."""

import pytest

import uapca
from uapca.cli import app as module
from uapca.cli.app import COMMANDS


def test_help_lists_every_command(run):
    result = run("--help")
    assert result.exit_code == 0
    for name in COMMANDS:
        assert f"\n  {name}" in result.stdout


def test_without_arguments_it_says_what_it_can_do(run):
    assert run().stdout == run("--help").stdout


@pytest.mark.parametrize("name", list(COMMANDS))
def test_every_command_has_help_with_examples(run, name):
    result = run(name, "-h")
    assert result.exit_code == 0
    assert f"uapca {name}" in result.stdout
    assert "Examples:" in result.stdout
    # What the list of commands says of it is its first sentence, and whole.
    listed = next(x for x in run("--help").stdout.splitlines() if x.startswith(f"  {name} "))
    sentence = listed.strip().partition(" ")[2].strip()
    assert sentence.rstrip(".") in " ".join(result.stdout.split())
    assert not sentence.endswith("...")


def test_options_are_in_sections_and_arguments_are_not(run):
    text = run("fit", "-h").stdout
    assert text.index("Options:") < text.index("How to read DATA:") < text.index("Always:")
    assert text.index("Always:") < text.index("--quiet") < text.index("--help")
    assert text.index("How to read DATA:") < text.index("--by COLUMN") < text.index("--debug")
    assert "\n  DATA" not in text
    assert "How to read DATA" not in run("figures", "-h").stdout


def test_version(run):
    assert run("--version").stdout == f"uapca, version {uapca.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ft"], "there is no command 'ft'; did you mean 'fit'? See uapca --help."),
        (["fit"], "Missing argument 'DATA'."),
        (
            ["fit", "studens"],
            "there is no data set or file 'studens'; did you mean 'students'? "
            "uapca datasets lists what can be named.",
        ),
        (
            ["fit", "students", "--scale", "-1"],
            "Invalid value for '-s' / '--scale': must be a number from 0 to inf; got '-1'.",
        ),
        (
            ["fit", "students", "-n", "1.5"],
            "Invalid value for '-n' / '--components': must be a whole number from 1, a share such "
            "as 0.95, auto or all; got '1.5'.",
        ),
        (["fit", "stars.csv"], "there is no file 'stars.csv'"),
        (
            ["plot", "students", "-o", "x.svg"],
            "Missing argument 'KIND'. Choose from: distributions, projection, matrix, "
            "traces, eigenvalues, progression, scree, biplot, loadings, contributions, cos2, "
            "components, shepard, count, simulation",
        ),
        (
            ["plot", "students", "biplot"],
            "a picture needs a file: -o FILE.svg, .png or .pdf.",
        ),
    ],
)
def test_errors_are_one_line(fails, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert fails(*arguments) == message


def test_an_unknown_option_is_one_line_with_what_was_meant(fails):
    assert fails("fit", "students", "--scal", "1").startswith("No such option")
    assert "--scale" in fails("fit", "students", "--scal", "1")


def test_a_defect_is_reported_as_such(run, monkeypatch):
    def broken(*_, **__):
        raise KeyError("x")

    monkeypatch.setattr("uapca.cli.fit.fitted", broken)
    out = run("fit", "teaser", "-q")
    assert out.exit_code == 2
    assert out.stderr == (
        "uapca: error: internal error: KeyError: 'x'. Run the command again with --debug and "
        "report what it says.\n"
    )


@pytest.mark.parametrize("place", [["--debug", "fit", "nothing"], ["fit", "nothing", "--debug"]])
def test_debug_shows_the_traceback(run, place):
    result = run(*place)
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
    assert "Traceback" not in run("fit", "nothing").stderr


def test_datasets_lists_names_that_work(run):
    from uapca.cli.data import BUNDLED

    text = run("datasets").stdout
    for name in BUNDLED:
        assert name in text
        if name != "anuran":
            assert run("fit", name, "-q").exit_code == 0


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(run, shell):
    result = run("completion", shell)
    assert result.exit_code == 0
    assert "_UAPCA_COMPLETE" in result.stdout


def test_completion_of_commands_and_data():
    from click.shell_completion import ShellComplete

    complete = ShellComplete(module.app, {}, "uapca", "_UAPCA_COMPLETE")
    assert [c.value for c in complete.get_completions([], "fi")] == ["fit", "figures"]
    values = [c.value for c in complete.get_completions(["fit"], "stu")]
    assert values == ["students", "stu"]
    names = [c.value for c in complete.get_completions(["figures"], "tea")]
    assert names == ["teaser"]
