"""PUB → SUB over inproc: a pipe within a process is a hop as others are."""

import pytest
from judgement import Way
from system import System

pytestmark = pytest.mark.scenario


def test_what_does_not_fit_into_a_pipe_within_a_process_is_lost_on_that_hop(system: System, judge) -> None:
    marks = ("--sndhwm", 20, "--rcvhwm", 10)
    pair = system.start("upstream", "inproc", "--name", "pair", "--truth", system.truth_folder, *marks)
    pair.expect("ready")
    pair.ask("send", 2000, 5, event="sent")
    pair.ask("finish", event="finished")
    pair.close()

    lost = len(system.truth().missing("pair-out", "pair-in"))
    judge([Way("pair-out", "pair-in")], {("pair-out → pair-in", "slow_receiver"): lost})
