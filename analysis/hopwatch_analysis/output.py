"""Where the results go: checked before any work is done, and told apart from other failures afterwards."""

import os
import re
import tempfile
from pathlib import Path

from hopwatch_analysis.errors import AnalysisError

# what the kernel says, as Java repeats it within the text of its exception
REFUSALS = re.compile(
    "No space left on device|Disk quota exceeded|Read-only file system|Permission denied"
    "|File too large|Mkdirs failed to create|Input/output error"
)


def require_writable(folder: Path) -> None:
    """Make the folder if need be. Raises AnalysisError if it cannot be made, or nothing can be written into it."""
    try:
        (folder / "tables").mkdir(parents=True, exist_ok=True)
        for place in (folder, folder / "tables"):
            with tempfile.TemporaryFile(dir=place) as probe:
                probe.write(b"probe")
    except OSError as error:
        raise AnalysisError(f"cannot write into {folder} (--out): {error.strerror or error}") from error


def to_write(folder: Path) -> str:
    """The folder for Spark to write: on this machine, or mounted alike on all that work."""
    return f"file://{folder.resolve()}"


def refusal(error: Exception) -> str | None:
    """What the system said, if Spark failed because a file could not be written."""
    found = REFUSALS.search(str(error))
    return found[0] if found else None


def room_left(folder: Path) -> int:
    """Free bytes of the disk that the folder is on, for this user."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize
