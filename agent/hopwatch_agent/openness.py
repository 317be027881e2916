"""Who else can get at the agent's folders, and what may follow from it."""

import os
import stat
from pathlib import Path


def journal_warning(directory: Path) -> str | None:
    """What is too open about the journal directory; None if nothing is, or if it is not there."""
    try:
        status = directory.stat()
    except OSError:
        return None
    if status.st_uid not in {0, os.geteuid()}:
        return (
            f"{directory} belongs to user {status.st_uid}, and this agent runs as {os.geteuid()}: "
            "that user can add, change and remove journals"
        )
    return _modes(directory, status.st_mode, "add, change and remove journals, and so what is shown here")


def data_warning(data: Path) -> str | None:
    """The same of the agent's own folder."""
    try:
        status = data.stat()
    except OSError:
        return None
    return _modes(data, status.st_mode, "replace the database")


def _modes(folder: Path, mode: int, what: str) -> str | None:
    others = [name for name, bit in (("its group", stat.S_IWGRP), ("every user", stat.S_IWOTH)) if mode & bit]
    readers = [
        name for name, bit in (("its group", stat.S_IRGRP), ("every user", stat.S_IROTH)) if mode & bit
    ]
    shown = f"{folder} has mode {stat.S_IMODE(mode):04o}, not 0700"
    if others:
        return f"{shown}: {' and '.join(others)} can {what}"
    if readers:
        return f"{shown}: {' and '.join(readers)} can list it"
    return None
