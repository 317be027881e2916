"""The analysis as files land: each incident once, as it closes, whatever comes late, is merged, or is cut off."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from feed_story import ENDS, SAMPLES_EVERY, feed_that_outlives_a_reader, feed_with_two_losses
from hopwatch_analysis.following.follow import follow
from hopwatch_analysis.following.settings import Following
from hopwatch_analysis.following.turns import Turns
from hopwatch_analysis.job import analyze
from hopwatch_analysis.report.verdict import verdict
from landed_folder import PAST, at
from landed_steps import LandedSteps, landed_incidents, lost_by_cause
from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]


def following(landed: Path, out: Path, **settings: float) -> Following:
    out.mkdir(exist_ok=True)
    waits = {"guard": 5.0, "late": 15.0, "window": 3600.0} | settings
    return Following((str(landed),), out, **waits)


def reported(spark: SparkSession, landed: Path, out: Path) -> dict[tuple[str, str, str], int]:
    return lost_by_cause(analyze(spark, [str(landed)], out)["incidents"])


def merging(steps: LandedSteps, said: list[str]) -> Callable[[str], None]:
    """Progress during which the files that are to be read are merged and removed."""

    def progress(line: str) -> None:
        said.append(line)
        if len(said) == 1:
            steps.merge()

    return progress


class Killed(BaseException):
    """The process ends here."""


def killer(moment: str, said: list[str]) -> Callable[[str], None]:
    """Progress that ends the process when it comes to a moment."""

    def progress(line: str) -> None:
        said.append(line)
        if line.startswith(moment):
            raise Killed

    return progress


@pytest.mark.extended("twelve minutes of turns")
def test_incidents_land_once_as_they_close_over_kills_merges_and_late_hosts(
    spark: SparkSession, tmp_path: Path
) -> None:
    steps = LandedSteps(feed_with_two_losses(), tmp_path / "landed")
    job = following(tmp_path / "landed", tmp_path / "out")
    said: list[str] = []
    first = Turns(spark, job, said.append, {})

    assert not first.take()
    assert "waiting for files to land" in said[-1]
    steps.land(40)
    assert first.take()
    assert landed_incidents(job.out) == []  # 22 + 10 + 15 + 5 seconds are not over

    steps.land(60)
    folder = next((tmp_path / "landed" / "kind=gap").rglob("*.parquet")).parent
    torn = Path(str(folder).replace("kind=gap", "kind=usage")) / "torn.parquet"
    torn.parent.mkdir(parents=True)
    torn.write_bytes(b"PAR1")
    for moment in ("the ledger", "1 incident landed"):
        dying = Turns(spark, job, killer(moment, said), {})
        with pytest.raises(Killed):
            dying.take()
        assert len(landed_incidents(job.out)) == (moment != "the ledger")
    second = Turns(spark, job, said.append, {})
    assert not second.take()  # what was landed is not told again
    (incident,) = landed_incidents(job.out)
    assert (incident["hop"], incident["lost"]) == ("quotes → reader", 50)
    assert incident["started_at"] == at(20, PAST)
    assert incident["evidence"]
    assert any(line.startswith(f"skipped {torn}") for line in said)

    steps.merge()
    assert not second.take()  # the same rows, in fewer files
    steps.land(190, "near")
    assert second.take()
    steps.land(190, "far")
    found = follow(spark, replace(job, once=True), said.append, Event())
    assert found is not None
    assert "LOST: 80 messages on quotes → reader" in verdict(found)
    assert [row["lost"] for row in landed_incidents(job.out)] == [50, 30]
    assert follow(spark, replace(job, once=True), said.append, Event()) is None
    assert said[-1] == "nothing more has landed"
    assert [row["lost"] for row in landed_incidents(job.out)] == [50, 30]
    batch_said: list[str] = []
    report = analyze(
        spark, job.events, tmp_path / "whole", guard=job.guard, progress=merging(steps, batch_said)
    )
    assert lost_by_cause(landed_incidents(job.out)) == lost_by_cause(report["incidents"])
    assert "some files went away meanwhile, as merged ones do: beginning again" in batch_said


@pytest.mark.extended("one more analysis; test_whole_run follows until nothing is new")
def test_what_went_with_a_receiver_lands_though_its_sender_goes_on(
    spark: SparkSession, tmp_path: Path
) -> None:
    steps = LandedSteps(feed_that_outlives_a_reader(ENDS), tmp_path / "landed")
    job = following(tmp_path / "landed", tmp_path / "out")
    steps.land(ENDS)
    assert Turns(spark, job, print, {}).take()
    assert [(row["cause"], row["lost"]) for row in landed_incidents(job.out)] == [("receiver_died", 30)]


@pytest.mark.extended("minutes of turns")
def test_what_reaches_back_behind_the_window_is_told_as_a_correction(
    spark: SparkSession, tmp_path: Path
) -> None:
    story = feed_with_two_losses()
    story.socket("slow", "SUB", host="late")
    story.subscribe("slow", "")
    story.link("quotes", "slow")
    story.onset("quotes", 500, 50)
    story.gap("slow", "quotes", 500, 509, (50, 51))
    for second in range(SAMPLES_EVERY, ENDS, SAMPLES_EVERY):
        story.got("slow", "quotes", second * 10 - 10 * (second > 51), 0, second * 10 - 1, second, final=False)
    steps = LandedSteps(story, tmp_path / "landed")
    job = following(tmp_path / "landed", tmp_path / "out", window=140)
    said: list[str] = []
    turns = Turns(spark, job, said.append, {})

    steps.land(300, "near", "far")
    turns.take()
    assert [row["lost"] for row in landed_incidents(job.out)] == [50, 30]
    assert "samples from before 2026-05-04 12:02:35 are summed up" in said
    steps.land(310)
    turns.take()
    assert any(line.startswith("files that came late tell of 2026-05-04 12:00:00 on") for line in said)
    correction = landed_incidents(job.out)[-1]
    assert (correction["kind"], correction["hop"], correction["lost"]) == ("correction", "quotes → slow", 10)
    assert "10 messages more" in correction["evidence"][0]["text"]
    assert lost_by_cause(landed_incidents(job.out)) == reported(
        spark, tmp_path / "landed", tmp_path / "whole"
    )
