"""The folder that the demo leaves behind."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from hopwatch_demo.errors import DemoError

MARKER = ".hopwatch-demo"


@dataclass(frozen=True)
class Folder:
    """Where each part of a demo's run keeps its files."""

    root: Path

    @property
    def journal(self) -> Path:
        return self.root / "journal"

    @property
    def agent_data(self) -> Path:
        return self.root / "agent"

    @property
    def landed(self) -> Path:
        return self.root / "landed"

    @property
    def report(self) -> Path:
        return self.root / "report"

    @property
    def truth(self) -> Path:
        return self.root / "truth"

    @property
    def logs(self) -> Path:
        return self.root / "logs"


def fresh_folder(root: Path) -> Folder:
    """An empty demo folder at ``root``: a former demo's is emptied, anything else there is left alone.

    Raises DemoError where something that is no demo's is in the way.
    """
    folder = Folder(root.absolute())
    try:
        if root.is_dir() and any(root.iterdir()) and not (root / MARKER).exists():
            raise DemoError(f"{root} is not empty and no demo's folder: choose another by --out")
        root.mkdir(parents=True, exist_ok=True)
        (root / MARKER).touch()
        for part in (
            folder.journal,
            folder.agent_data,
            folder.landed,
            folder.report,
            folder.truth,
            folder.logs,
        ):
            shutil.rmtree(part, ignore_errors=True)
        for part in (folder.truth, folder.logs):
            part.mkdir()
    except OSError as error:
        raise DemoError(f"{root} cannot be used: {error}") from error
    return folder
