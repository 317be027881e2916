"""The hot path of sockets that stamp (see ``counting.py``)."""

from __future__ import annotations

import time
from typing import Any

import zmq
from zmq.backend import Socket as BackendSocket

from hopwatch.frames import size_of
from hopwatch.interruptions import interrupts
from hopwatch.journal.counters import Words
from hopwatch.journal.lane_runs import LaneRun
from hopwatch.journal.runs import NO_RUN, sent_run
from hopwatch.lanes.sending import SendingLane
from hopwatch.sockets.counting import (
    LOOK_FOR_RUN,
    NOT_NOW,
    PartsSender,
    Sender,
    no_parts,
    slow_send,
)
from hopwatch.sockets.first_calls import FirstCalls
from hopwatch.sockets.numbering import Numbering, nothing_to_leave
from hopwatch.sockets.ways import Methods
from hopwatch.sockets.zmq_errors import REFUSED, is_refusal
from hopwatch.words import (
    LANE_COUNT,
    LANE_MORE_FRAMES,
    LANE_RUN_MORE_FRAMES,
    SENT,
    SENT_BYTES,
    SENT_MORE_FRAMES,
    STAMP_SENT_AT,
)

DONTWAIT = int(zmq.DONTWAIT)
DONTWAIT_SNDMORE = int(zmq.DONTWAIT) | int(zmq.SNDMORE)
UNSENT = object()

backend_send = BackendSocket.send
now = time.time


def stamping_send(
    words: Words,
    first: FirstCalls,
    numbering: Numbering,
    plain: int = 0,
    parts: PartsSender = no_parts,
    try_send: Sender = backend_send,
) -> Methods:
    """``send`` of a socket that counts and stamps: here the messages of one frame, for which one lane serves.

    As long as nothing but these is sent, a message's number in its lane is the count of messages sent, less ``behind``: the stamp is
    what stands in the slot, and the store of the count moves it on (see ``lane_runs.py``). Whatever else is sent, or changes the
    numbering, goes through ``leave`` first.
    """
    sent = sent_bytes = behind = until = 0
    run, run_size, seen_size = sent_run(words), NO_RUN, NO_RUN
    lane_run = LaneRun(words)
    stamp, times = lane_run.stamp, lane_run.times
    lane: SendingLane | None = None
    plain_now: object = NOT_NOW
    otherwise: Sender = slow_send
    send_part: Sender = slow_send
    sparse, due_after = numbering.every > 1, numbering.due_after

    def send(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        # the stamp follows as the message's last frame
        nonlocal sent, sent_bytes
        if flags != plain_now or routing_id is not None or group is not None:
            return send_slowly(self, data, flags, copy, track, routing_id, group)
        tracker: Any = UNSENT
        try:
            times[STAMP_SENT_AT] = now()
            tracker = try_send(self, data, DONTWAIT_SNDMORE, copy, track)
            backend_send(self, stamp, DONTWAIT)
        except REFUSED as error:
            if not is_refusal(error):
                raise
            if tracker is not UNSENT:
                # the pipe has died between the two, and takes the message with it as it does a bare socket's
                count_with_stamp(size_of(data))
                return tracker
        except BaseException as error:
            if interrupts(error) and complete(self, stamp):
                count_with_stamp(size_of(data))
            raise
        else:
            if data.__class__ is not bytes or len(data) != run_size:
                size = len(data) if data.__class__ is bytes else size_of(data)
                if size != run_size:
                    if run_size >= 0 or not sent & LOOK_FOR_RUN:
                        end_or_begin_run(size)
                    sent_bytes += size
                    words[SENT_BYTES] = sent_bytes
            sent += 1
            words[SENT] = sent
            return tracker
        return send_slowly(self, data, flags, copy, track, routing_id, group)

    def send_due(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        # ``send`` over again: to ask there which of the two it is costs a dense stamper 3 %
        nonlocal sent, sent_bytes, until
        if flags != plain_now or routing_id is not None or group is not None:
            return send_slowly(self, data, flags, copy, track, routing_id, group)
        tracker: Any = UNSENT
        # a signal handler may raise in any function of Python's that is called between the sends and the counts
        next_due = behind + due_after(sent - behind)
        try:
            times[STAMP_SENT_AT] = now()
            tracker = try_send(self, data, DONTWAIT_SNDMORE, copy, track)
            backend_send(self, stamp, DONTWAIT)
        except REFUSED as error:
            if not is_refusal(error):
                raise
            if tracker is not UNSENT:
                # the pipe has died between the two, and takes the message with it as it does a bare socket's
                count_with_stamp(size_of(data))
                return tracker
        except BaseException as error:
            if interrupts(error) and complete(self, stamp):
                count_with_stamp(size_of(data))
            raise
        else:
            until = next_due
            words[LANE_RUN_MORE_FRAMES] += 1
            if data.__class__ is not bytes or len(data) != run_size:
                size = len(data) if data.__class__ is bytes else size_of(data)
                if size != run_size:
                    if run_size >= 0 or not sent & LOOK_FOR_RUN:
                        end_or_begin_run(size)
                    sent_bytes += size
                    words[SENT_BYTES] = sent_bytes
            sent += 1
            words[SENT] = sent
            return tracker
        return send_slowly(self, data, flags, copy, track, routing_id, group)

    def send_sparsely(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        # the stamp, where one is due, follows as the message's last frame
        nonlocal sent, sent_bytes
        if flags != plain_now or sent >= until or routing_id is not None or group is not None:
            return send_due(self, data, flags, copy, track, routing_id, group)
        try:
            tracker = try_send(self, data, DONTWAIT, copy, track)
        except REFUSED as error:
            if not is_refusal(error):
                raise
        else:
            if data.__class__ is not bytes or len(data) != run_size:
                size = len(data) if data.__class__ is bytes else size_of(data)
                if size != run_size:
                    if run_size >= 0 or not sent & LOOK_FOR_RUN:
                        end_or_begin_run(size)
                    sent_bytes += size
                    words[SENT_BYTES] = sent_bytes
            sent += 1
            words[SENT] = sent
            return tracker
        return send_slowly(self, data, flags, copy, track, routing_id, group)

    def send_slowly(
        self: Any, data: Any, flags: int, copy: bool, track: bool, routing_id: int | None, group: str | None
    ) -> Any:
        leave()
        tracker = otherwise(self, data, flags, copy, track, routing_id, group)
        if numbering.single_frame_lane is not None and not numbering.begun and not first.sends:
            enter(numbering.single_frame_lane)
        return tracker

    def end_or_begin_run(size: int) -> None:
        nonlocal sent_bytes, run_size, seen_size
        if run_size >= 0:
            sent_bytes, run_size, seen_size = run.end(), NO_RUN, NO_RUN
        elif size == seen_size:
            run_size = run.begin(size)
        else:
            seen_size = size

    def enter(shared: SendingLane) -> None:
        nonlocal lane, behind, until, plain_now
        lane = shared
        behind = sent - lane.count
        until = behind + lane.due
        lane_run.begin(numbering.flags, 0, lane.index, lane.count, lane.more_frames)
        plain_now = plain

    def leave() -> None:
        nonlocal lane, plain_now
        if lane is not None and not numbering.left_to_parent:
            lane.count, lane.due = sent - behind, until - behind
            lane.more_frames = lane_run.more_frames
            lane.words[LANE_MORE_FRAMES] = lane.more_frames
            lane.words[LANE_COUNT] = lane.count
            lane_run.end()
        lane, plain_now = None, NOT_NOW

    def count_with_stamp(size: int) -> None:
        nonlocal until
        if sparse:
            words[LANE_RUN_MORE_FRAMES] += 1
            until = behind + due_after(sent - behind)
        count_frame(size, False)

    def count_sent(size: int, more: bool) -> None:
        nonlocal otherwise
        if otherwise is slow_send and not first.sends:
            otherwise = send_part
        leave()
        count_frame(size, more)

    def count_frame(size: int, more: bool) -> None:
        nonlocal sent, sent_bytes
        if run_size >= 0:
            end_or_begin_run(size)
        sent_bytes += size
        words[SENT_BYTES] = sent_bytes
        if more:
            words[SENT_MORE_FRAMES] += 1
        else:
            sent += 1
            words[SENT] = sent

    def retire() -> None:
        nonlocal otherwise, send_part
        leave()
        otherwise = send_part = slow_send
        numbering.leave_hot_path = nothing_to_leave

    send_part = parts(count_sent)
    numbering.leave_hot_path = leave
    return {
        "_hopwatch_send_now": send_sparsely if sparse else send,
        "_hopwatch_count_sent": count_sent,
        "_hopwatch_retire_send": retire,
    }


def complete(self: Any, stamp: memoryview) -> bool:
    """Send the stamp of a message whose send a signal handler's exception ended; whether it was taken.

    It is not known whether the frame, or even this stamp, went before: a receiver takes off a stamp that stands alone.
    """
    try:
        backend_send(self, stamp, DONTWAIT)
    except zmq.ZMQError:
        return False
    return True
