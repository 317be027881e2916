"""A page is followed as a reader follows it, and what it says wrongly is found."""

import os
from pathlib import Path

import pytest
from documents import blocks_in
from followed_pages import follow

TWO_TERMINALS = """
```python title="waits.py"
import time
print("waits", flush=True)
time.sleep(60)
```
```console title="Terminal 1"
$ python waits.py
waits
```
```console title="Terminal 2"
$ echo beside it
beside it
```
```console title="Terminal 1"
^C
KeyboardInterrupt
```
"""


def follow_text(text: str, folder: Path) -> None:
    follow(blocks_in(text, "page.md"), folder, dict(os.environ), [])


@pytest.mark.parametrize(
    "page",
    [
        "```console\n$ echo 1 2; echo 3\n1 2\n3\n```",
        "```console\n$ echo one; echo two; echo three\none\n...\nthree\n```",
        "<!-- figures differ -->\n```console\n$ echo took 12.5 s\ntook 9 s\n```",
        "```console\n$ for n in 1 2; do\n>   echo $n\n> done\n1\n2\n```",
        '```toml title="a/b.toml"\nx = 1\n```\n```console\n$ cat a/b.toml\nx = 1\n```',
        "```console\n$ x=kept\n```\n```console\n$ echo $x\nkept\n```",
        "```python\nassert 1\n```",
        "*Not run by the tests: it would fail.*\n\n```bash\nfalse\n```",
    ],
)
def test_what_is_as_the_page_says_is_right(page: str, tmp_path: Path) -> None:
    follow_text(page, tmp_path)


@pytest.mark.parametrize(
    "page",
    [
        "```console\n$ echo 1\n2\n```",
        "```console\n$ echo one; echo two\ntwo\none\n```",
        "```console\n$ false\n```",
        "```bash\nfalse\n```",
        "```console\n$ no-such-program\n```",
        "<!-- figures differ -->\n```console\n$ echo took 12.5 s\ntook 9 ms\n```",
        "```python\nassert 0\n```",
    ],
)
def test_what_is_not_as_the_page_says_is_found(page: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"page\.md"):
        follow_text(page, tmp_path)


def test_a_command_runs_on_in_its_terminal_until_ctrl_c(tmp_path: Path) -> None:
    follow_text(TWO_TERMINALS, tmp_path)


def test_one_that_ends_before_ctrl_c_without_what_it_is_to_say_is_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r"page\.md"):
        follow_text(TWO_TERMINALS.replace("time.sleep(60)", "").replace('"waits"', '"ends"'), tmp_path)
