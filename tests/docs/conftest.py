"""The site, built once."""

from pathlib import Path

import pytest
from documents import REPOSITORY
from site_builds import build


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = build(REPOSITORY / "mkdocs.yml", folder)
    assert built.returncode == 0, built.stderr
    return folder
