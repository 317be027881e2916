"""However many incidents there are: report.json has all of them, page and verdict tell of the worst, and few are in memory at a time."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hopwatch_analysis.errors import AnalysisError
from hopwatch_analysis.report.records import Analysis
from hopwatch_analysis.report.report_json import report, write_report
from hopwatch_analysis.spark.failures import JAVA_ENDED
from hopwatch_judge import Incident
from joint_docket import INCIDENTS_ON_THE_PAGE, Reported
from landed_folder import LandedFolder
from page_reader import read_page
from report_records import fleet, nothing_checked, three_hops
from stories import pub_sub

LOST = {"few": 20, "most": 80, "some": 40}


def lossy(story: LandedFolder) -> None:
    for name, lost in LOST.items():
        pub_sub(story, f"{name}-pub", f"{name}-sub")
        story.sent(f"{name}-pub", 100, 40)
        story.got(f"{name}-sub", f"{name}-pub", 100 - lost, 0, 99, 45)
        story.gap(f"{name}-sub", f"{name}-pub", 5, 4 + lost, (5, 9))
        story.onset(f"{name}-pub", 5, 5)


STORIES = (lossy,)


@pytest.mark.spark
@pytest.mark.timeout(900)
def test_all_are_in_the_report_worst_first_and_the_page_says_how_many_it_leaves_out(
    joint_report: dict[str, Any], reported_stories: Reported
) -> None:
    told = joint_report["incidents"]
    assert [each["lost"] for each in told] == sorted((each["lost"] for each in told), reverse=True)
    ours = [
        (each["hop"], each["lost"]) for each in told if each["hop"].endswith("-sub") and "-pub" in each["hop"]
    ]
    assert ours == [(f"{name}-pub → {name}-sub", LOST[name]) for name in ("most", "some", "few")]
    page = read_page((reported_stories.out / "report.html").read_text())
    shown = page.one("section", id="incidents")
    assert len(shown.all("details")) == INCIDENTS_ON_THE_PAGE < len(told)
    assert (
        f"{len(told) - INCIDENTS_ON_THE_PAGE} other incidents lost less: they are in report.json."
        in shown.text
    )


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
