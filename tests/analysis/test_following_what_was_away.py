"""What a following job makes of folders and files that are away for a while."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from feed_story import feed_with_two_losses
from hopwatch_analysis.following.settings import Following
from hopwatch_analysis.following.turns import Turns
from landed_steps import LandedSteps, landed_incidents, lost_by_cause
from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

TOLD = {("quotes → reader", "slow_receiver", "inferred"): 80}


@contextmanager
def away(folder: Path, files: str) -> Iterator[None]:
    """Files that are not there for a while."""
    elsewhere = folder.with_name(f"away from {folder.name}")
    gone = {path: elsewhere / path.relative_to(folder) for path in folder.glob(files)}
    assert gone
    for path, place in gone.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        path.rename(place)
    yield
    for path, place in gone.items():
        place.rename(path)


def test_what_was_told_of_folders_and_files_that_were_away_is_not_told_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    near, far = tmp_path / "near", tmp_path / "far"
    steps = [(LandedSteps(feed_with_two_losses(), folder), folder) for folder in (near, far)]
    job = Following((str(near), str(far)), tmp_path / "out", guard=5, late=15, window=140)
    job.out.mkdir()
    said: list[str] = []

    def turn(until: float) -> bool:
        for step, folder in steps:
            if folder.exists():
                step.land(until, folder.name)
        taken = Turns(spark, job, said.append, {}).take()
        assert lost_by_cause(landed_incidents(job.out)) == TOLD
        return taken

    assert turn(190)
    far.rename(tmp_path / "elsewhere")
    assert not turn(250)
    assert said[-1] == f"{far} is not there: no such folder; waiting for it"
    (tmp_path / "elsewhere").rename(far)
    with away(far, "kind=*/*/*/*"):
        assert turn(260)
    assert turn(300)
