"""What a following job makes of folders and files that are away for a while."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest
from feed_story import feed_with_two_losses
from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.following.follow import follow
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


@pytest.mark.extended("minutes of turns")
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


@pytest.mark.extended("minutes of turns")
def test_files_that_spark_took_note_of_and_no_turn_has_had_are_not_passed_over_by_the_next_once(
    spark: SparkSession, tmp_path: Path
) -> None:
    LandedSteps(feed_with_two_losses(), tmp_path / "landed").land(300)
    job = Following((str(tmp_path / "landed"),), tmp_path / "out", guard=5, late=15, window=140, once=True)
    job.out.mkdir()
    said: list[str] = []
    assert follow(spark, job, said.append, Event())
    shutil.rmtree(job.checkpoint / "books")
    shutil.rmtree(job.out / "incidents")
    assert follow(spark, job, said.append, Event())
    assert lost_by_cause(landed_incidents(job.out)) == TOLD
    assert follow(spark, job, said.append, Event()) is None
    assert said[-1] == "nothing more has landed"


def test_what_java_refuses_is_told_and_not_taken_for_its_end(spark: SparkSession, tmp_path: Path) -> None:
    LandedSteps(feed_with_two_losses(), tmp_path / "landed").land(300)
    job = Following((str(tmp_path / "landed"),), tmp_path / "out", guard=5, once=True)
    metadata = job.checkpoint / "stream-0" / "metadata"
    metadata.parent.mkdir(parents=True)
    metadata.write_text("no JSON")
    with pytest.raises(
        AnalysisError, match=r"Spark could not follow .*/landed with .*: .*JsonParse"
    ) as refused:
        follow(spark, job, lambda _: None, Event())
    assert "Java process ended" not in str(refused.value)
