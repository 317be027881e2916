"""The page of tests that documents name: the source of each, so that a reader can see what shows a sentence."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from repository import REPOSITORY

PAGE = "shown.md"
_HEAD = """# The tests behind these pages

A small *shown* behind a sentence leads here, to the test that shows what the sentence says. Each is a part of its file as it is in the repository,
and runs on real sockets each time that the project is tested.
"""


@dataclass(frozen=True, order=True)
class Shown:
    """A test function, by its file's path in the repository."""

    path: str
    name: str

    @property
    def anchor(self) -> str:
        return f"#{self.name}"


def page_of(tests: Iterable[Shown]) -> str:
    """The page, a section a test."""
    return "\n".join([_HEAD, *(_section(test) for test in sorted(set(tests)))])


def _section(test: Shown) -> str:
    heading = f"## {test.name.removeprefix('test_').replace('_', ' ')} {{#{test.name}}}"
    return f"{heading}\n\n`{test.path}`\n\n```python\n{source_of(test)}\n```\n"


def source_of(test: Shown) -> str:
    """Its text, with what decorates it. Raises LookupError if there is no such test."""
    text = (REPOSITORY / test.path).read_text()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == test.name:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    raise LookupError(f"{test.path} has no {test.name}")
