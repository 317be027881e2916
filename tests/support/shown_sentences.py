"""The page of which each sentence names the test that shows it."""

import re
from dataclasses import dataclass

_MARKS = re.compile(r"<sup>(?:\[shown\]\[[\w-]+\] ?)+</sup>")
_NAMED = re.compile(r"\[shown\]\[([\w-]+)\]")
_DEFINED = re.compile(r'^\[([\w-]+)\]: \.\./(\S+) "(\w+)"$', re.MULTILINE)
_NOT_SAID = re.compile(r"^(?:#|>|!\[|\[[\w-]+\]: )")
_SENTENCE_ENDS = re.compile(r"[.!?][\"'`)]* +(?:[-*] )?[A-Z`\"'\[]")


@dataclass(frozen=True)
class Test:
    """A test function, by its file's path in the repository."""

    path: str
    name: str


def unmarked(text: str) -> list[str]:
    """What is said without a mark behind it. Headings, pictures and what stands behind a bar (>) say nothing about ZeroMQ."""
    found = []
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line for line in paragraph.splitlines() if not _NOT_SAID.match(line)]
        *marked, rest = _MARKS.split(" ".join(lines))
        found += [said.strip() for said in marked if not said.strip() or _SENTENCE_ENDS.search(said)]
        found += [rest.strip()] if rest.strip() else []
    return found


def named(text: str) -> set[str]:
    """The marks that stand behind sentences."""
    return set(_NAMED.findall(text))


def defined(text: str) -> dict[str, Test]:
    """Which test each mark means."""
    return {mark: Test(path, name) for mark, path, name in _DEFINED.findall(text)}
