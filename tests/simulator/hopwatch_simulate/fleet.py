"""A fleet drawn from a seed: which stories happen on it, and all that comes of them."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

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
from hopwatch_simulate.hosts import Host
from hopwatch_simulate.site import Site
from hopwatch_simulate.telling import Teller
from hopwatch_simulate.truth import Json, truth_of
from hopwatch_simulate.world import EPOCH, World

Story = Callable[[Teller], None]
LONGEST_STORY = 8.0
LONGEST_OVERLOAD = 55.0
QUIET_FLEETS = 0.1
UNTOLD_FLEETS = 0.05
LASTING_FLEETS = 0.1
DRAWN_FLEETS = 0.15
MOST_SKEW = 3.0
SKEWED_FLEETS = 0.7
LATE_HOSTS = 0.2

QUIET: Mapping[str, Story] = {
    "quiet": stories.quiet,
    "restarted_feed": stories.restarted_feed,
    "unstamped": stories.unstamped,
    "fan_out": shared_stories.fan_out,
    "refused": shared_stories.refused,
    "fan_in": shared_stories.fan_in,
    "quiet_chain": proxy_stories.quiet_chain,
    "router_and_dealers": dialogues.router_and_dealers,
    "two_way_dealers": dialogues.two_way_dealers,
    "requests": dialogues.requests,
    "pair": dialogues.pair,
    "restarted_proxy": proxy_stories.restarted_proxy,
    "quiet_sharing_proxy": sharing_proxy_stories.quiet_sharing_proxy,
    "quiet_sharing_chain": sharing_chain_stories.quiet_sharing_chain,
    "worker_reads_on": parting_stories.worker_reads_on,
    "reader_reads_on": parting_stories.reader_reads_on,
    "feed_back_before_all_is_read": parting_stories.feed_back_before_all_is_read,
}
LOSSY: Mapping[str, Story] = {
    "slow_subscriber": stories.slow_subscriber,
    "still_losing": stories.still_losing,
    "bursts": stories.bursts,
    "volleys": stories.volleys,
    "batches": stories.batches,
    "late_joiner": stories.late_joiner,
    "cut_and_mended": stories.cut_and_mended,
    "killed_feed": stories.killed_feed,
    "killed_reader": stories.killed_reader,
    "reader_closes": stories.reader_closes,
    "feed_closes": stories.feed_closes,
    "slow_network": stories.slow_network,
    "still_running": stories.still_running,
    "dark_reader": stories.dark_reader,
    "dark_feed": stories.dark_feed,
    "killed_worker": shared_stories.killed_worker,
    "worker_closes": shared_stories.worker_closes,
    "source_closes": parting_stories.source_closes,
    "killed_source": shared_stories.killed_source,
    "slow_behind_a_chain": proxy_stories.slow_behind_a_chain,
    "slow_before_a_proxy": proxy_stories.slow_before_a_proxy,
    "bursts_before_a_proxy": proxy_stories.bursts_before_a_proxy,
    "slow_proxy": proxy_stories.slow_proxy,
    "tree": proxy_stories.tree,
    "slow_second_proxy": chain_stories.slow_second_proxy,
    "slow_link_between_proxies": chain_stories.slow_link_between_proxies,
    "cut_between_proxies": chain_stories.cut_between_proxies,
    "slow_branch": chain_stories.slow_branch,
    "late_behind_a_proxy": proxy_stories.late_behind_a_proxy,
    "forwarder": proxy_stories.forwarder,
    "dark_proxy": proxy_stories.dark_proxy,
    "slow_dealer": dialogues.slow_dealer,
    "strangers": dialogues.strangers,
    "dealer_goes": dialogues.dealer_goes,
    "killed_dealer": dialogues.killed_dealer,
    "killed_asker": dialogues.killed_asker,
    "killed_replier": dialogues.killed_replier,
    "pair_closes": dialogues.pair_closes,
    "conflating_reader": option_stories.conflating_reader,
    "conflating_feed": option_stories.conflating_feed,
    "slow_reader_of_numbers": option_stories.slow_reader_of_numbers,
    "oversize_to_a_caller": option_stories.oversize_to_a_caller,
    "oversize_to_a_bound_end": option_stories.oversize_to_a_bound_end,
    "oversize_job": option_stories.oversize_job,
    "bounded_and_cut": option_stories.bounded_and_cut,
    "cut_for_good": option_stories.cut_for_good,
    "killed_for_memory": restart_stories.killed_for_memory,
    "restarted_reader": restart_stories.restarted_reader,
    "restarted_worker": restart_stories.restarted_worker,
    "killed_bound_worker": restart_stories.killed_bound_worker,
    "side_by_side": proxy_stories.side_by_side,
    "killed_proxy": proxy_stories.killed_proxy,
    "cut_at_the_end": stories.cut_at_the_end,
    "leaves_a_proxy": proxy_stories.leaves_a_proxy,
    "killed_behind_a_proxy": proxy_stories.killed_behind_a_proxy,
    "hung_reader": hung_stories.hung_reader,
    "hung_behind_a_proxy": hung_stories.hung_behind_a_proxy,
    "hung_behind_a_closed_feed": hung_stories.hung_behind_a_closed_feed,
    "hung_worker": hung_stories.hung_worker,
    "cut_and_mended_share": cut_share_stories.cut_and_mended_share,
    "mended_share_then_killed": cut_share_stories.mended_share_then_killed,
    "mended_share_then_killed_early": cut_share_stories.mended_share_then_killed_early,
    "mended_share_then_closed": cut_share_stories.mended_share_then_closed,
    "share_cut_for_good": cut_share_stories.share_cut_for_good,
    "share_cut_for_good_and_left": cut_share_stories.share_cut_for_good_and_left,
    "one_share_cut_and_mended": cut_share_stories.one_share_cut_and_mended,
    "cut_dealers": cut_dialogues.cut_dealers,
    "cut_dealer_of_a_router": cut_dialogues.cut_dealer_of_a_router,
    "cut_pair": cut_dialogues.cut_pair,
    "cut_before_a_sharing_proxy": sharing_proxy_stories.cut_before_a_sharing_proxy,
    "cut_before_a_sharing_proxy_then_killed": sharing_proxy_stories.cut_before_a_sharing_proxy_then_killed,
    "cut_between_sharing_proxies": sharing_chain_stories.cut_between_sharing_proxies,
    "killed_worker_behind_a_sharing_chain": sharing_chain_stories.killed_worker_behind_a_sharing_chain,
    "killed_sharing_proxy": sharing_proxy_stories.killed_sharing_proxy,
    "restarted_sharing_proxy": sharing_proxy_stories.restarted_sharing_proxy,
    "worker_reads_on_and_closes": parting_stories.worker_reads_on_and_closes,
    "worker_reads_on_and_is_killed": parting_stories.worker_reads_on_and_is_killed,
    "worker_outlives_a_killed_source": parting_stories.worker_outlives_a_killed_source,
    "reader_reads_on_and_closes": parting_stories.reader_reads_on_and_closes,
    "reader_reads_on_and_is_killed": parting_stories.reader_reads_on_and_is_killed,
    "joins_in_a_pause": joining_stories.joins_in_a_pause,
    "joins_several_topics_in_a_pause": joining_stories.joins_several_topics_in_a_pause,
}
UNTOLD: Mapping[str, Story] = {"killed_second_proxy": chain_stories.killed_second_proxy}
"""No event tells on which hop most was lost. Drawn beside the others, so that what a seed draws of those is what it was before there were such."""
LASTING: Mapping[str, Story] = {
    "overwhelmed": overload_stories.overwhelmed,
    "overwhelmed_for_a_while": overload_stories.overwhelmed_for_a_while,
    "overwhelmed_by_several_topics": overload_stories.overwhelmed_by_several_topics,
    "overwhelmed_from_afar": overload_stories.overwhelmed_from_afar,
    "overwhelmed_beside_a_quick_one": overload_stories.overwhelmed_beside_a_quick_one,
    "overwhelmed_proxy": overload_stories.overwhelmed_proxy,
    "overwhelmed_by_two": overload_stories.overwhelmed_by_two,
    "volleys_for_long": lasting_burst_stories.volleys_for_long,
    "busy_spells": lasting_burst_stories.busy_spells,
    "rests_between_batches": lasting_burst_stories.rests_between_batches,
    "rests_for_moments": lasting_burst_stories.rests_for_moments,
    "polls_between_batches": lasting_burst_stories.polls_between_batches,
    "rests_far_away": lasting_burst_stories.rests_far_away,
    "proxy_that_lags": lasting_burst_stories.proxy_that_lags,
}
"""They make the recording longer, and are drawn beside the others, seldom."""
DRAWN: Mapping[str, Story] = {"drawn_tree": drawn_stories.drawn_tree}
"""Of which even who is connected to whom is drawn."""
ALL = {**QUIET, **LOSSY, **UNTOLD, **LASTING, **DRAWN}
SPARSE: Mapping[str, Story] = {
    "sparse_slow_subscriber": sparse_stories.sparse_slow_subscriber,
    "sparse_bursts": sparse_stories.sparse_bursts,
    "sparse_killed_feed": sparse_stories.sparse_killed_feed,
}
"""Only where they are asked for: which messages a receiver of sparse stamps lacks is not known, and so their causes less often."""
EVERY = {**ALL, **SPARSE}


@dataclass(frozen=True)
class Drawn:
    """What the seed and the user's wishes make of a fleet."""

    seed: int
    hosts: int
    hours: float
    stories: tuple[str, ...]
    skew: float = MOST_SKEW
    """Seconds by which its hosts' clocks are wrong at most."""
    site: int = 0
    """Fleets of different sites (0 to 80) can be analysed together."""


@dataclass(frozen=True)
class Fleet:
    """What its agents land, by host, and the truth. The agents of ``late`` hosts land all but the first files late."""

    hosts: tuple[Host, ...]
    late: frozenset[str]
    truth: Json


def draw(seed: int, hosts: int | None = None, hours: float = 0.002) -> Drawn:
    """A fleet by its seed; as many stories as hosts, more or less."""
    chance = World(seed).chance
    number = hosts or chance.randint(1, 6)
    is_quiet = chance.random() < QUIET_FLEETS
    names = list(QUIET if is_quiet else {**QUIET, **LOSSY})
    count = max(1, round(number * chance.uniform(0.6, 1.4)))
    skew = MOST_SKEW if chance.random() < SKEWED_FLEETS else 0.0
    drawn = [chance.choice(names) for _ in range(count)]
    if not is_quiet and chance.random() < UNTOLD_FLEETS:
        drawn.append(chance.choice(list(UNTOLD)))
    if not is_quiet and chance.random() < LASTING_FLEETS:
        drawn.append(chance.choice(list(LASTING)))
    if not is_quiet and chance.random() < DRAWN_FLEETS:
        drawn.append(chance.choice(list(DRAWN)))
    return Drawn(seed, number, hours, tuple(drawn), skew)


def simulate(drawn: Drawn) -> Fleet:
    """Let the stories of a fleet happen."""
    world = World(drawn.seed)
    site = Site(world, drawn.site)
    site.add_hosts(drawn.hosts, drawn.skew)
    span = drawn.hours * 3600
    lasts_long = any(name in LASTING for name in drawn.stories)
    ends = span + (LONGEST_OVERLOAD if lasts_long else LONGEST_STORY)
    for name in drawn.stories:
        begins = world.between(0, span)
        world.at(begins, partial(EVERY[name], Teller(site, begins, ends)))
    world.run(until=ends)
    hosts = tuple(agent.host for agent in site.agents)
    late = frozenset(host.name for host in hosts if world.chance.random() < LATE_HOSTS)
    about = {"seed": drawn.seed, "stories": list(drawn.stories), "hours": drawn.hours}
    hosts_told = [{"host": host.name, "clock_ahead_by": round(host.skew, 6)} for host in hosts]
    window = {"from": EPOCH.isoformat(), "to": (EPOCH + timedelta(seconds=math.ceil(ends))).isoformat()}
    return Fleet(hosts, late, {**about, "window": window, "hosts": hosts_told, **truth_of(site)})
