from pathlib import Path

import joint_docket
import pytest
import shared_spark
from landed_folder import LandedFolder


def pytest_configure(config: pytest.Config) -> None:
    shared_spark.use(config)
    joint_docket.use(config)


@pytest.fixture
def landed(tmp_path: Path) -> Path:
    """A stream of 100 messages, the last ten of which its receiver did not get."""
    story = LandedFolder()
    story.socket("quotes", "PUB", closed=50)
    story.socket("reader", "SUB", closed=60)
    story.subscribe("reader", "")
    story.link("quotes", "reader")
    story.sent("quotes", 100, 40)
    story.got("reader", "quotes", 90, 0, 89, 45)
    return story.write(tmp_path / "landed")
