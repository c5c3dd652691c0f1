"""What goes wrong, in one line."""

from __future__ import annotations

import re

from uapca.cli.labels import listed, nearest, quoted, shown

__all__ = ["CommandError", "line_of", "no_such"]

# Sentences of the library name its parameters; here they are options.
_OPTIONS = (
    (r"\b(features|exclude|fill)=(\[[^\]]*\])?(?![\['\w])", r"--\1"),
    (r"\bfill='([^']*)'", r'--fill "\1"'),
    (r"\b(missing|bad_cells|bad_files|spread)='(\w+)'", r"--\1 \2"),
    (r"\b(names|errors|corr|decimal|thousands)='([^']*)'", r'--\1 "\2"'),
    (r"\bwords=(\{[^}]*\})?", "--words FILE"),
    (r"\berrors=\{'([^']*)': '([^']*)'\}", r"--errors \1=\2"),
    (r"\bkeep_samples(=True)?\b", "--keep-points"),
    (r"--bad_", "--bad-"),
    (r"\bpass --", "use --"),
    (r"\bscale=inf", "--scale inf"),
    (r"\bddof=", "--ddof "),
    (r"\buse UncertainScaler\b", "use --standardize"),
    (r"^path must", "DATA must"),
)


class CommandError(Exception):
    """Something a user can mend: the message is one line and says how."""


def no_such(what: str, name: str, known: list[str], remedy: str = "") -> CommandError:
    """There is no such thing, and the one that was probably meant."""
    close = nearest(name, known)
    meant = f"; did you mean {quoted(close)}?" if close is not None else "."
    rest = remedy or f"There are {listed(known)}."
    return CommandError(f"there is no {what} {quoted(name)}{meant} {rest}".rstrip())


def _is_defect(error: BaseException) -> bool:
    """Whether an error is ours; the library's own complaints about types say what must be."""
    if isinstance(error, TypeError):
        return " must " not in str(error)
    return not isinstance(error, CommandError | ValueError | OSError | ImportError)


def line_of(error: BaseException) -> str:
    """An exception as one line that is safe to print, in the words of the command line."""
    text = str(error)
    if isinstance(error, MemoryError):
        text = text or "there is not enough memory for this data"
    elif isinstance(error, OSError) and error.strerror and error.filename is not None:
        text = f"{error.strerror}: {quoted(error.filename)}"
    elif _is_defect(error):
        text = (
            f"internal error: {type(error).__name__}: {text}. "
            "Run the command again with --debug and report what it says."
        )
    text = re.sub(r"\s*\n\s*", " ", text.strip())
    if not isinstance(error, CommandError):
        for pattern, option in _OPTIONS:
            text = re.sub(pattern, option, text)
    return shown(text) or type(error).__name__
