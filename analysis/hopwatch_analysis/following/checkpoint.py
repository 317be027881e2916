"""The folder that a following job goes on from: of one job, one version, and one process at a time."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hopwatch.ownership import opened_folder

from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.files.places import place_of
from hopwatch_analysis.files.schemas import SCHEMA_VERSION

VERSION = 1
IDENTITY = "job.json"


class CheckpointError(AnalysisError):
    """The checkpoint is not this job's, or not to be had."""


@contextmanager
def claimed(folder: Path, landed_incidents: Path, events: tuple[str, ...]) -> Iterator[None]:
    """Hold the checkpoint for as long as the job runs; a new one is made where nothing has landed yet.

    Raises CheckpointError if it is another job's or another version's, if another process has it, or if it is gone while
    what landed with it is there.
    """
    try:
        with opened_folder(folder, 0o777) as opened:
            lock = os.open("lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644, dir_fd=opened)
    except OSError as error:
        raise CheckpointError(f"cannot write into {folder}: {error.strerror or error}") from error
    try:
        _lock(lock, folder)
        _identify(folder, landed_incidents, events)
        yield
    finally:
        os.close(lock)


def _lock(descriptor: int, folder: Path) -> None:
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise CheckpointError(f"another process follows with {folder}: one at a time") from error


def _identify(folder: Path, landed_incidents: Path, events: tuple[str, ...]) -> None:
    own: dict[str, Any] = {
        "checkpoint_version": VERSION,
        "schema_version": SCHEMA_VERSION,
        "events": sorted(place_of(uri) for uri in events),
    }
    path = folder / IDENTITY
    if not path.exists():
        if landed_incidents.is_dir() and any(landed_incidents.iterdir()):
            raise CheckpointError(
                f"{landed_incidents} has incidents that were landed with a checkpoint which is gone ({folder}): "
                "put it back, or say another --out, else they would be told twice"
            )
        aside = path.with_suffix(".new")
        aside.unlink(missing_ok=True)
        with aside.open("x", encoding="utf-8") as file:
            file.write(json.dumps(own, indent=1) + "\n")
        aside.rename(path)
        return
    found = _read(path)
    for key, words in (("checkpoint_version", "version"), ("schema_version", "version of landed files")):
        if found.get(key) != own[key]:
            raise CheckpointError(
                f"{folder} is of {words} {found.get(key)}, this program's is {own[key]}: say another --out"
            )
    if found.get("events") != own["events"]:
        raise CheckpointError(
            f"{folder} follows {', '.join(found.get('events', []))}, not {', '.join(own['events'])}: "
            "say another --out for other folders"
        )


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path} cannot be read: {error}") from error
    return found if isinstance(found, dict) else {}
