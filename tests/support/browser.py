"""A real Chromium, which talks to nobody but whom the test has it talk to."""

import shlex
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

CHROMIUM = shutil.which("chromium-headless-shell")
QUIETLY = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
MISSING = "there is no chromium here"


@contextmanager
def chromium(inside: Sequence[str] = ()) -> Iterator[Browser]:
    """Runs as long as the block does. ``inside``: what to put before its command, such as what enters a network."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        command = Path(folder, "chromium")
        command.write_text(f'#!/bin/sh\nexec {shlex.join([*inside, str(CHROMIUM)])} "$@"\n')
        command.chmod(0o755)
        browser = playwright.chromium.launch(executable_path=command, args=list(QUIETLY))
        try:
            yield browser
        finally:
            browser.close()
