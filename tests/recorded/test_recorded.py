"""What the analysis reports of each recorded system is the truth."""

import pytest
from joint_docket import Docket, ReportOn
from recordings import Recording, recordings

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1800)]  # one analysis of all

RECORDINGS = recordings()


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: recording.name)
@pytest.mark.usefixtures("whole_docket")
def test_a_report_tells_the_truth(recording: Recording, recorded_cases: Docket, report_on: ReportOn) -> None:
    recorded_cases[recording.name].hold(report_on(recording.name).report)
