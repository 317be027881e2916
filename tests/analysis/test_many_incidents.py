"""However many incidents there are: report.json has all of them, page and verdict tell of the worst, and few are in memory at a time."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.job import analyze
from hopwatch_analysis.report import summary
from hopwatch_analysis.report.incident import Incident
from hopwatch_analysis.report.records import Analysis
from hopwatch_analysis.report.report_json import read_report, report, write_report
from hopwatch_analysis.spark.failures import JAVA_ENDED
from landed_folder import LandedFolder
from page_reader import read_page
from pyspark.sql import SparkSession
from report_records import fleet, nothing_checked, three_hops
from stories import pub_sub

LOST = {"few": 20, "most": 80, "some": 40}


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    story = LandedFolder()
    for name, lost in LOST.items():
        pub_sub(story, f"{name}-pub", f"{name}-sub")
        story.sent(f"{name}-pub", 100, 40)
        story.got(f"{name}-sub", f"{name}-pub", 100 - lost, 0, 99, 45)
        story.gap(f"{name}-sub", f"{name}-pub", 5, 4 + lost, (5, 9))
        story.onset(f"{name}-pub", 5, 5)
    return story.write(tmp_path / "landed")


@pytest.mark.spark
@pytest.mark.parametrize("kept", [1, 1000])
def test_all_are_in_the_report_worst_first_and_the_page_says_how_many_it_leaves_out(
    spark: SparkSession, lossy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int
) -> None:
    monkeypatch.setattr(summary, "INCIDENTS_KEPT", kept)
    told = analyze(spark, [str(lossy)], tmp_path / "out")
    assert told == read_report(tmp_path / "out")
    assert [(item["hop"], item["lost"]) for item in told["incidents"]] == [
        (f"{name}-pub → {name}-sub", LOST[name]) for name in ("most", "some", "few")
    ]
    page = read_page((tmp_path / "out" / "report.html").read_text())
    shown = page.one("section", id="incidents")
    assert len(shown.all("details")) == min(kept, 3)
    assert ("2 other incidents lost less: they are in report.json." in shown.text) is (kept == 1)


@pytest.mark.parametrize("make", [fleet, nothing_checked, three_hops])
def test_the_report_is_written_an_incident_at_a_time_as_if_it_were_written_at_once(
    make: Callable[[], Analysis], tmp_path: Path
) -> None:
    analysis = make()
    path = write_report(report(analysis, analysis.incidents), tmp_path)
    at_once = report(analysis, analysis.incidents)
    at_once["incidents"] = list(at_once["incidents"])
    assert path.read_text() == json.dumps(at_once, indent=2, ensure_ascii=False) + "\n"


def test_where_the_last_ones_cannot_be_had_the_report_before_stays(tmp_path: Path) -> None:
    analysis = three_hops()
    before = write_report(report(analysis, ()), tmp_path).read_text()

    def broken() -> Iterator[Incident]:
        yield from analysis.incidents
        raise AnalysisError(JAVA_ENDED)

    with pytest.raises(AnalysisError, match="was it killed"):
        write_report(report(analysis, broken()), tmp_path)
    assert (tmp_path / "report.json").read_text() == before
