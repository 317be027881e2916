"""What the analysis reports of each recorded system is the truth."""

from typing import Any

import pytest
from docket import assert_whole
from recordings import Recording, recordings

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1800)]  # one analysis of all

RECORDINGS = recordings()


def test_all_that_is_recorded_is_read_and_told_of(report: dict[str, Any]) -> None:
    assert_whole(report, [recording.case() for recording in RECORDINGS])


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda recording: recording.name)
def test_a_report_tells_the_truth(recording: Recording, report: dict[str, Any]) -> None:
    recording.case().hold(report)
