"""Counts the cases that the harnesses tried and prints the numbers at the end."""

from collections import Counter

import pytest


@pytest.fixture
def tried(record_property):
    """Notes that a test has tried that many cases of a harness."""

    def note(harness, cases):
        record_property("cases", (harness, cases))

    return note


def pytest_terminal_summary(terminalreporter):
    cases: Counter[str] = Counter()
    seconds: Counter[str] = Counter()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, []):
            for name, value in report.user_properties if report.when == "call" else []:
                if name == "cases":
                    cases[value[0]] += value[1]
                    seconds[value[0]] += report.duration
    if cases:
        terminalreporter.section("cases tried")
        for harness, number in cases.items():
            terminalreporter.write_line(f"{number:>9,} {harness} in {seconds[harness]:.0f} s")
        terminalreporter.write_line(f"{cases.total():>9,} in all")
