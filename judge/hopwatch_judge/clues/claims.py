"""What full pipes, cuts and ends claim of a loss, each by its part: gaps, beginnings of lanes, and ends of lanes."""

from hopwatch_judge.claim import FIT, PROOF, Claim
from hopwatch_judge.clues import cuts, ended, joining
from hopwatch_judge.clues.clues import Clues, asked_once
from hopwatch_judge.clues.pipe import dropped_before_others, drops_unseen


@asked_once
def full_pipe(clues: Clues) -> Claim | None:
    """The hop's pipe was full, whatever filled it."""
    if clues.loss.part == "inner":
        return full_pipe_made_gap(clues)
    if clues.loss.part == "head":
        return _full_pipe_took_beginning(clues)
    if joining.may_never_have_joined(clues):
        return _of_a_lane_that_never_came(clues)
    return _full_pipe_took_end(clues)


@asked_once
def pipe_of_receiver(clues: Clues) -> Claim | None:
    """The hop's pipe was full, and its receiver, or the way to it, is why: nobody stands between, and somebody was there."""
    if clues.lacked_by_another or cuts.nobody_was_there(clues):
        return None
    return full_pipe(clues)


@asked_once
def cut(clues: Clues) -> Claim | None:
    """The connection was down when these were sent, or took them with it."""
    if clues.loss.part == "inner":
        return FIT if _cut_made_gap(clues) else None
    if clues.loss.part == "head":
        return FIT if joining.there_before(clues) and cuts.came_back_first(clues) else None
    if joining.came_too_late(clues) or joining.dropped_or_too_late(clues):
        return None
    return FIT if not ended.goes_on(clues) and _cut_took_end(clues) else None


@asked_once
def end(clues: Clues) -> tuple[str, Claim] | None:
    """An end of the hop took them along: the cause that this is, by who went first."""
    if not clues.at_the_end or not clues.link.linked or ended.goes_on(clues):
        return None
    if joining.came_too_late(clues) or full_pipe(clues) or cut(clues):
        return None
    if ended.on_no_known_way(clues) or ended.in_no_queue(clues):
        return None
    taken = ended.taken_along(clues)
    if taken is None or _threw_older_away(clues):
        return None
    cause, proved = taken
    proved = proved and not clues.conflates and not joining.may_never_have_joined(clues)
    return cause, PROOF if proved else FIT


def conflation(clues: Clues) -> Claim | None:
    """An end keeps the newest message only, and threw these away for it."""
    if not clues.conflates or cut(clues):
        return None
    if clues.loss.part == "head":
        too_early = joining.joins(clues) and joining.sent_before_joining(clues)
        return FIT if joining.joined_before(clues) or not too_early else None
    if clues.loss.part == "inner":
        return FIT
    if joining.came_too_late(clues) or joining.dropped_or_too_late(clues) or ended.goes_on(clues):
        return None
    waits = ended.both_open(clues) and not ended.on_no_known_way(clues) and not _lost_in_between(clues)
    return FIT if _threw_older_away(clues) and not waits else None


def _threw_older_away(clues: Clues) -> bool:
    """Of several that did not come all but the newest were thrown away for it; how far the last one had come is not known."""
    return clues.conflates and clues.loss.last > clues.loss.first


def _lost_in_between(clues: Clues) -> bool:
    """A full pipe or a cut shows, between two ends that are there."""
    full = (
        _met_full_pipe_at_the_end(clues) or _dropped_unseen_at_the_end(clues) or _overtaken_at_the_end(clues)
    )
    return full or cuts.cut_off(clues) or cuts.overlaps_a_down(clues) or _went_in_a_mended_cut(clues)


@asked_once
def full_pipe_made_gap(clues: Clues) -> Claim | None:
    if _cut_took_the_next(clues):
        return FIT
    if clues.conflates or _cut_made_gap(clues):
        return None
    if clues.loss.begins_at_onset:
        return FIT if cuts.overlaps_a_down(clues) else PROOF
    shown = clues.onset_between is not None or (drops_unseen(clues) and clues.watched)
    return FIT if shown else None


def _cut_took_the_next(clues: Clues) -> bool:
    """The cut has had its range of this lane: of a sender that keeps nothing one cut takes one, up to the first message of the next connection."""
    return clues.cut_took_the_next and drops_unseen(clues) and clues.watched


@asked_once
def _cut_made_gap(clues: Clues) -> bool:
    loss = clues.loss
    if _cut_took_the_next(clues):
        return False
    if cuts.overlaps_a_down(clues):
        full_before = loss.begins_at_onset and not clues.conflates and not cuts.overlaps_a_down_soon(clues)
        return not full_before
    if clues.conflates:
        return False
    met_onset = loss.begins_at_onset or clues.onset_between is not None
    several = loss.last > loss.first  # one may have been under way to the former peer
    met_full = loss.begins_at_onset or (several and (met_onset or drops_unseen(clues)))
    if met_full and cuts.overlaps_a_former_down(clues):
        return True
    if clues.onset_between is not None and cuts.began_in_a_former_down(clues):
        return True
    behind = cuts.shows_behind_a_down(clues) or cuts.before_it_came_back(clues)
    return not met_onset and clues.link.linked and behind


def _full_pipe_took_beginning(clues: Clues) -> Claim | None:
    if cut(clues) or clues.conflates or not joining.joined_before(clues):
        return None
    if clues.loss.begins_at_onset:
        return PROOF
    return FIT if drops_unseen(clues) or clues.met_full_pipe else None


def _of_a_lane_that_never_came(clues: Clues) -> Claim | None:
    """It is not certain that its receiver had joined."""
    if joining.dropped_or_too_late(clues):
        return FIT
    if joining.came_too_late(clues):
        return None
    return FIT if _full_pipe_took_end(clues) else None


def _full_pipe_took_end(clues: Clues) -> Claim | None:
    """A receiver that got all that was sent before an onset, and nothing behind it, lost the ends of all its lanes there.

    Behind the onset's own message the pipe may have had room again: what it took then is on its way while the receiver reads on, and was lost
    with its queue later, unless the receiver is known to have read until nothing was left.
    """
    if ended.goes_on(clues) or _threw_older_away(clues):
        return None
    if clues.loss.begins_at_onset and ended.nothing_was_left(clues) and _link_held(clues):
        return FIT if clues.conflates else PROOF
    if _met_full_pipe_at_the_end(clues) or _dropped_unseen_at_the_end(clues):
        return FIT
    return FIT if not ended.on_no_known_way(clues) and _overtaken_at_the_end(clues) else None


def _met_full_pipe_at_the_end(clues: Clues) -> bool:
    if clues.loss.begins_at_onset or clues.stopped_at_onset:
        return True
    return clues.full_in_another_lane and (clues.loss.sparse or ended.had_read_all(clues))


def _dropped_unseen_at_the_end(clues: Clues) -> bool:
    """Nothing tells of a full pipe, and the receiver had read all there was."""
    if not drops_unseen(clues) or not clues.watched or _went_in_a_mended_cut(clues):
        return False
    busy = ended.may_have_hung(clues) or cuts.cut_off(clues) or ended.was_under_way(clues)
    return not busy and ended.had_read_all(clues)


def _overtaken_at_the_end(clues: Clues) -> bool:
    return dropped_before_others(clues) and not _went_in_a_mended_cut(clues)


def _link_held(clues: Clues) -> bool:
    broken = cuts.cut_off(clues) or cuts.went_down_for_good(clues) or cuts.overlaps_a_mended_down(clues)
    return not broken


def _went_in_a_mended_cut(clues: Clues) -> bool:
    return clues.link.linked and cuts.went_with_a_mended_down(clues)


def _cut_took_end(clues: Clues) -> bool:
    if _threw_older_away(clues) or _met_full_pipe_at_the_end(clues):
        return False
    if _went_in_a_mended_cut(clues):
        return True
    if _dropped_unseen_at_the_end(clues) or ended.on_no_known_way(clues) or _overtaken_at_the_end(clues):
        return False
    if cuts.went_down_for_good(clues):
        return True
    down = cuts.cut_off(clues) or cuts.overlaps_a_down(clues)
    return down and not ended.in_no_queue(clues) and ended.taken_along(clues) is None
