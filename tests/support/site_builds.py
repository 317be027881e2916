"""The site, built as scripts/test does."""

import os
import subprocess
import sys
from pathlib import Path


def build(config: Path, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Into a folder. Not quietly: then mkdocs does not count its warnings as errors."""
    return subprocess.run(
        [
            Path(sys.executable).with_name("mkdocs"),
            "build",
            "--strict",
            "--config-file",
            config,
            "--site-dir",
            folder,
        ],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
