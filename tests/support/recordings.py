"""Recorded systems: what their agents landed, and what is true of them. Nothing here needs the programs that were played.

tests/recorded/NAME/truth.json
tests/recorded/NAME/landed/HOST/kind=.../date=.../host=.../*.parquet
"""

import json
import re
import shutil
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from docket import Case
from expected import Expected
from hopwatch_analysis.files.merged import without_parts

RECORDED = Path(__file__).parent.parent / "recorded"
PROGRAMS, CHECKED_REPORT = "programs", "checked report"
"""Sources of truth: the programs' own payload numbers; or a report that passed the checks of the live test."""


@dataclass(frozen=True)
class Recording:
    """A recorded system. ``test`` is the id of the test that played it; ``mark`` is what its names begin with."""

    folder: Path
    test: str
    mark: str
    recorded_at: datetime
    source: str
    expected: Expected

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def landed(self) -> Path:
        return self.folder / "landed"

    def case(self) -> Case:
        """Return it as a case of an analysis of many systems."""
        return Case(self.mark, (self.landed,), expected=self.expected)


def name_of(test: str) -> str:
    """Return the name of a recording: that of its test, with its parameters."""
    words = re.findall(r"[a-z0-9]+", test.rpartition("::")[2].lower())
    return "-".join(words[1:] if words[0] == "test" else words)


def recordings(folder: Path = RECORDED) -> list[Recording]:
    """Return all recordings, by name."""
    return [read(path.parent) for path in sorted(folder.glob("*/truth.json"))]


def read(folder: Path) -> Recording:
    """Return the recording in a folder."""
    told = json.loads((folder / "truth.json").read_text())
    about = {name: told.pop(name) for name in ("test", "mark", "recorded_at", "source")}
    about["recorded_at"] = datetime.fromisoformat(about["recorded_at"].replace("Z", "+00:00"))
    told["exact"] = [(hop, cause) for hop, cause in told["exact"]]
    return Recording(folder=folder, expected=Expected(**told), **about)


def record(test: str, case: Case, expected: Expected, source: str, into: Path = RECORDED) -> Path:
    """Write what a system landed and what is true of it, in place of an older recording; return its folder."""
    folder = into / name_of(test)
    new = into / f".{folder.name}"
    shutil.rmtree(new, ignore_errors=True)
    for landed in case.folders:
        for file in without_parts(str(path) for path in landed.rglob("*.parquet")):
            copy = new / "landed" / landed.parent.name / Path(file).relative_to(landed)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
    (new / "truth.json").write_text(_text(test, case.mark, expected, source))
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)
    return folder


def _text(test: str, mark: str, expected: Expected, source: str) -> str:
    now = datetime.now(timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")
    about: dict[str, Any] = {"test": test, "mark": mark, "recorded_at": now, "source": source}
    return json.dumps({**about, **asdict(expected)}, ensure_ascii=False, indent=2) + "\n"
