"""Files of every kind, and the program in this process."""

import pytest
from click.testing import CliRunner

from uapca.cli.app import _DATA_OPTIONS, app

STARS = """star,ra,ra_error,dec,dec_error,parallax,ra_dec_corr,type
a,10.0,0.1,-5.0,0.3,2.2,0.5,G
b,11.0,0.2,-4.0,0.1,2.5,-0.2,G
c,12.5,0.1,-4.4,0.2,1.5,0.1,K
d,10.2,0.3,-3.0,0.3,2.9,0.0,K
"""
FLOWERS = """species,len,width,site
setosa,5.1,3.5,north
setosa,4.9,3.0,south
setosa,4.7,3.2,north
virginica,6.3,3.3,north
virginica,5.8,2.7,south
virginica,7.1,3.0,south
"""
GRADES = """student;M1;M2;P1
Tom;15;fairly good;N(14, 5.7)
Jane;9±1;good;[10, 12]
Joe;14.32(6);bad;
Jack;U(1, 3);bad;4
"""
WORDS = """good = "T(13, 14, 16, 18)"
bad = "T(2, 4, 6, 7)"
"fairly good" = "T(10, 11, 13, 15)"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with small files, in which the program runs."""
    files = {"stars.csv": STARS, "flowers.csv": FLOWERS, "grades.csv": GRADES, "words.toml": WORDS}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch):
    """Tests run under a terminal, or in workers that inherit its width, see the same text."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture
def run():
    """The program with these arguments: a result with exit_code, stdout and stderr."""

    def call(*arguments, input=None):
        result = CliRunner().invoke(app, [str(a) for a in arguments], input=input)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return call


@pytest.fixture
def fails(run):
    """The one line that the program complains with; nothing else is printed, exit code 2."""

    def call(*arguments, input=None):
        result = run(*arguments, input=input)
        assert result.exit_code == 2, result.output
        assert result.stdout == ""
        assert result.stderr.count("\n") == 1
        return result.stderr.removeprefix("uapca: error: ").removesuffix("\n")

    return call


def reading(**given):
    """The options that say how to read DATA, as commands get them."""
    import click

    command = click.Command("any", params=[])
    for option in _DATA_OPTIONS.values():
        command = option(command)
    arguments = []
    for name, value in given.items():
        for text in (value,) if isinstance(value, str | bool) else value:
            arguments += [f"--{name.replace('_', '-')}", *([] if text is True else [text])]
    return command.make_context("any", arguments).params
