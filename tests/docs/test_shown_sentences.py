"""Each sentence about ZeroMQ names a test that shows it, and that test is run."""

import re
import subprocess
import sys

import pytest
from documents import REPOSITORY, text_of
from shown_sentences import defined, named, unmarked

PAGE = text_of("when-zeromq-is-full.md")


def test_every_sentence_has_a_mark() -> None:
    assert unmarked(PAGE) == []
    assert len(named(PAGE)) > 40


@pytest.mark.parametrize(
    "text",
    [
        "A PUB drops.",
        "A PUB drops. <sup>[shown][a]</sup>\nA SUB does not.",
        "A PUB drops. A SUB does not. <sup>[shown][a]</sup>",
        "- A PUB drops.\n- A SUB does not. <sup>[shown][a]</sup>",
        "| PUB | drops |",
        "> Behind a bar.\n\nNot so.",
    ],
)
def test_one_without_a_mark_is_found(text: str) -> None:
    assert unmarked(text)


def test_every_mark_means_a_test_and_every_test_that_is_meant_backs_a_sentence() -> None:
    assert named(PAGE) == set(defined(PAGE))


def test_every_test_that_is_named_is_collected() -> None:
    tests = set(defined(PAGE).values())
    files = sorted({test.path for test in tests})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files]
    listed = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert listed.returncode == 0, listed.stdout
    collected = set(re.findall(r"^(\S+)::(\w+)", listed.stdout, re.MULTILINE))
    assert {(test.path, test.name) for test in tests} - collected == set()
