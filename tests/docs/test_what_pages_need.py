"""A page says what its programs and commands need besides hopwatch: its reader has installed that alone."""

import re
import sys

import pytest
from documents import blocks_of, pages, text_of
from followed_pages import SHELL

NEEDED = re.compile(r"^You need .*$|They use `curl` and `jq`", re.MULTILINE)
IMPORTED = re.compile(r"^\s*(?:import|from) (\w+)", re.MULTILINE)
TOOLS = re.compile(r"\b(curl|jq)\b")
COMES_WITH_HOPWATCH = {*sys.stdlib_module_names, "hopwatch", "zmq"}
OF_ALL_RUNBOOKS = "runbooks/index.md"


def needed(page: str) -> set[str]:
    """What its blocks import or type that does not come with hopwatch, its own files aside."""
    blocks = blocks_of(page)
    own = {block.title.removesuffix(".py") for block in blocks}
    imported = {
        name for block in blocks if block.language == "python" for name in IMPORTED.findall(block.text)
    }
    typed = {name for block in blocks if block.language in SHELL for name in TOOLS.findall(block.text)}
    return (imported | typed) - COMES_WITH_HOPWATCH - own


def told(page: str) -> set[str]:
    said = " ".join(NEEDED.findall(text_of(OF_ALL_RUNBOOKS if page.startswith("runbooks/") else page)))
    return set(re.findall(r"`([\w-]+)`", said))


@pytest.mark.parametrize("page", pages())
def test_a_page_says_what_it_needs(page: str) -> None:
    assert needed(page) - told(page) == set()


def test_some_pages_need_something() -> None:
    assert {name for page in pages() for name in needed(page)} >= {"curl", "jq", "gevent", "jupyter_client"}
