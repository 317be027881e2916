"""The documents in ``docs/``, and the blocks of code in them."""

import re
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
FIGURES_DIFFER = "<!-- figures differ -->"
NOT_RUN = re.compile(r"^\*Not run by the tests: (.+)\*$")
_FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w+)(?P<rest>.*)$")
_TITLE = re.compile(r'title="([^"]*)"')


@dataclass(frozen=True)
class Block:
    """A fenced block. ``title`` names a file, or a terminal; ``figures_differ`` and ``not_run`` are what the line before it says."""

    page: str
    line: int
    language: str
    title: str
    text: str
    figures_differ: bool
    not_run: str | None

    @property
    def place(self) -> str:
        return f"docs/{self.page}:{self.line}"


def pages() -> list[str]:
    """Every document, by its path below ``docs/``."""
    return sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


def text_of(page: str) -> str:
    return (DOCS / page).read_text()


def blocks_of(page: str) -> list[Block]:
    """The fenced blocks of a document, in order."""
    return blocks_in(text_of(page), page)


def blocks_in(text: str, page: str) -> list[Block]:
    """The fenced blocks of a text."""
    lines = text.splitlines()
    found: list[Block] = []
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        if fence is None:
            at += 1
            continue
        indent = fence["indent"]
        end = next(n for n in range(at + 1, len(lines)) if lines[n] == f"{indent}```")
        found.append(_block(page, lines, at, end, fence))
        at = end + 1
    return found


def _block(page: str, lines: list[str], at: int, end: int, fence: re.Match[str]) -> Block:
    indent = fence["indent"]
    before = next((line.strip() for line in reversed(lines[:at]) if line.strip()), "")
    title = _TITLE.search(fence["rest"])
    not_run = NOT_RUN.match(before)
    text = "".join(f"{line.removeprefix(indent)}\n" for line in lines[at + 1 : end])
    return Block(
        page,
        at + 1,
        fence["language"],
        title[1] if title else "",
        text,
        before == FIGURES_DIFFER,
        not_run[1] if not_run else None,
    )


def prose_of(page: str) -> str:
    """A document without its blocks of code."""
    return re.sub(r"^( *)```.*?^\1```$", "", text_of(page), flags=re.DOTALL | re.MULTILINE)
