"""The situations that fleets are made of, by name: the same names in simulated fleets, large fleets and stories of tests."""

from collections.abc import Callable, Mapping

from hopwatch_simulate import (
    chain_stories,
    cut_dialogues,
    cut_share_stories,
    dialogues,
    drawn_stories,
    hung_stories,
    joining_stories,
    lasting_burst_stories,
    option_stories,
    overload_stories,
    parting_stories,
    proxy_stories,
    restart_stories,
    shared_stories,
    sharing_chain_stories,
    sharing_proxy_stories,
    sparse_stories,
    stories,
)
from hopwatch_simulate.telling import Teller

Story = Callable[[Teller], None]
MODULES = (
    chain_stories, cut_dialogues, cut_share_stories, dialogues, drawn_stories, hung_stories,
    joining_stories, lasting_burst_stories, option_stories, overload_stories, parting_stories,
    proxy_stories, restart_stories, shared_stories, sharing_chain_stories, sharing_proxy_stories,
    sparse_stories, stories,
)  # fmt: skip


def _named(names: str) -> Mapping[str, Story]:
    """Return stories by their names, which are those of functions."""
    return {
        name: next(vars(module)[name] for module in MODULES if name in vars(module)) for name in names.split()
    }


QUIET = _named("""
    quiet restarted_feed unstamped fan_out refused fan_in quiet_chain router_and_dealers two_way_dealers
    requests pair restarted_proxy quiet_sharing_proxy quiet_sharing_chain worker_reads_on reader_reads_on
    feed_back_before_all_is_read
""")
LOSSY = _named("""
    slow_subscriber still_losing bursts volleys batches late_joiner cut_and_mended killed_feed killed_reader
    reader_closes feed_closes slow_network still_running dark_reader dark_feed killed_worker worker_closes
    source_closes killed_source slow_behind_a_chain slow_before_a_proxy bursts_before_a_proxy slow_proxy
    tree slow_second_proxy slow_link_between_proxies cut_between_proxies slow_branch late_behind_a_proxy
    forwarder dark_proxy slow_dealer strangers dealer_goes killed_dealer killed_asker killed_replier
    pair_closes conflating_reader conflating_feed slow_reader_of_numbers oversize_to_a_caller
    oversize_to_a_bound_end oversize_job bounded_and_cut cut_for_good killed_for_memory restarted_reader
    restarted_worker killed_bound_worker side_by_side killed_proxy cut_at_the_end leaves_a_proxy
    killed_behind_a_proxy hung_reader hung_behind_a_proxy hung_behind_a_closed_feed hung_worker
    cut_and_mended_share mended_share_then_killed mended_share_then_killed_early mended_share_then_closed
    share_cut_for_good share_cut_for_good_and_left one_share_cut_and_mended cut_dealers
    cut_dealer_of_a_router cut_pair cut_before_a_sharing_proxy cut_before_a_sharing_proxy_then_killed
    cut_between_sharing_proxies killed_worker_behind_a_sharing_chain killed_sharing_proxy
    restarted_sharing_proxy worker_reads_on_and_closes worker_reads_on_and_is_killed
    worker_outlives_a_killed_source reader_reads_on_and_closes reader_reads_on_and_is_killed
    joins_in_a_pause joins_several_topics_in_a_pause
""")
UNTOLD = _named("killed_second_proxy")
"""No event tells on which hop most was lost. Drawn beside the others, so that what a seed draws of those is what it was before there were such."""
LASTING = _named("""
    overwhelmed overwhelmed_for_a_while overwhelmed_by_several_topics overwhelmed_from_afar
    overwhelmed_beside_a_quick_one overwhelmed_proxy overwhelmed_by_two volleys_for_long busy_spells
    rests_between_batches rests_for_moments polls_between_batches rests_far_away proxy_that_lags
""")
"""They make the recording longer, and are drawn beside the others, seldom."""
DRAWN = _named("drawn_tree")
"""Of which even who is connected to whom is drawn."""
ALL = {**QUIET, **LOSSY, **UNTOLD, **LASTING, **DRAWN}
SPARSE = _named("sparse_slow_subscriber sparse_bursts sparse_killed_feed")
"""Only where they are asked for: which messages a receiver of sparse stamps lacks is not known, and so their causes less often."""
EVERY = {**ALL, **SPARSE}

CAUSE_OF: Mapping[str, str] = {
    "slow_subscriber": "slow_receiver",
    "overwhelmed": "slow_receiver",
    "bursts": "hwm_too_low",
    "slow_network": "network",
    "cut_and_mended": "reconnect",
    "late_joiner": "slow_joiner",
    "worker_closes": "closed",
    "killed_reader": "receiver_died",
    "killed_worker": "receiver_died",
    "killed_source": "sender_died",
    "dealer_goes": "unroutable",
    "conflating_feed": "conflated",
    "oversize_job": "oversize",
}
"""What some situations lose messages by: each cause is there."""
