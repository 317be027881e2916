"""Parts of stories that are told to the analysis as landed folders, and what its report says about one of them."""

from typing import Any

from landed_folder import LandedFolder

Json = dict[str, Any]


def pub_sub(story: LandedFolder, pub: str, *subs: str, closed: float | None = 50, **marks: int) -> None:
    story.socket(pub, "PUB", closed=closed, **marks)
    for sub in subs:
        story.socket(sub, "SUB", closed=60, **marks)
        story.subscribe(sub, "")
        story.link(pub, sub)


def through_proxy(
    story: LandedFolder, pub: str, proxy: str, *subs: str, closed: float | None = 50, probed: bool = True
) -> None:
    story.socket(pub, "PUB", closed=closed, sndhwm=1000, probed=probed)
    front, back = f"{proxy}-front", f"{proxy}-back"
    story.socket(front, "XSUB", closed=60)
    story.socket(back, "XPUB", closed=60, probed=False)
    story.proxy(proxy, front, back)
    story.link(front, pub)
    for sub in subs:
        story.socket(sub, "SUB", closed=55)
        story.subscribe(sub, "")
        story.link(back, sub)


def slow_and_fast(story: LandedFolder) -> None:
    """50 a second, of which one reads 40."""
    pub_sub(story, "quotes", "sluggish", "fast", sndhwm=10, rcvhwm=10)
    for second in range(1, 21):
        story.counters("quotes", second, sent=50 * second)
        story.counters("sluggish", second, received=40 * second, waited_receives=min(second, 2))
    story.sent("quotes", 1000, 20)
    story.got("fast", "quotes", 1000, 0, 999, 20)
    story.got("sluggish", "quotes", 800, 0, 949, 25, newest=19)
    story.gap("sluggish", "quotes", 100, 199, (2, 4), received=101)
    story.gap("sluggish", "quotes", 500, 549, (10, 11), received=401)
    for number in (100, 500, 950):
        story.onset("quotes", number, number / 50)


def bursts(story: LandedFolder) -> None:
    pub_sub(story, "bursty", "pursuer", sndhwm=10)
    story.sent("bursty", 4000, 40)
    story.got("pursuer", "bursty", 3500, 0, 3999, 41)
    story.gap("pursuer", "bursty", 1500, 1999, (15, 15.2), received=1501)
    story.onset("bursty", 1500, 15)
    for seconds, sent in ((5, 500), (15, 1500), (16, 2100), (40, 4000)):
        story.counters("bursty", seconds, sent=sent)
    for seconds, received, waits in (
        (5, 500, 400),
        (15, 1490, 1400),
        (16, 1600, 1410),
        (20, 1900, 1600),
        (40, 3500, 3000),
    ):
        story.counters("pursuer", seconds, received=received, waited_receives=waits)


def worker_cut_off_and_back(story: LandedFolder) -> None:
    story.socket("parts", "PUSH", closed=70)
    for worker in ("firm", "wobbly"):
        story.socket(worker, "PULL", closed=60)
    story.link("parts", "firm", down=60, sent=1000)
    story.link("parts", "wobbly", up=0.1, down=20)
    story.link("parts", "wobbly", up=22, down=60, sent=1000)
    story.sent("parts", 1000, 45)
    story.got("firm", "parts", 550, 0, 999, 59.9)
    story.got("wobbly", "parts", 430, 1, 998, 59.9)


def losing_twice(story: LandedFolder, pub: str, sub: str, *, again: int, ends: int) -> None:
    """The receiver misses 10 messages at second 20, and 30 at second ``again``."""
    story.socket(pub, "PUB", closed=ends + 10)
    story.socket(sub, "SUB", closed=ends + 15)
    story.subscribe(sub, "")
    story.link(pub, sub)
    lost = 0
    for number, loss, second in ((0, 0, 10), (100, 10, 20), (200, 0, 50), (300, 30, again), (400, 0, ends)):
        lost += loss
        if loss:
            story.onset(pub, number, second - 0.5)
            story.gap(sub, pub, number, number + loss - 1, (second - 0.5, second))
        story.sent(pub, number + 90, second, final=second == ends)
        story.got(sub, pub, number + 90 - lost, 0, number + 89, second + 0.1, final=second == ends)


def hop(report: Json, label: str) -> dict[str, int]:
    found = next(item for item in report["hops"] if item["hop"] == label)
    return {name: found[name] for name in ("sent", "delivered", "lost", "in_flight", "unexplained")}


def row(report: Json, stream: str, receiver: str | None) -> Json:
    return next(
        item for item in report["ledger"] if (item["name"], item["receiver_name"]) == (stream, receiver)
    )


def incidents(report: Json, sender: str) -> list[tuple[str, str, str, int]]:
    found = [item for item in report["incidents"] if item["hop"].startswith(f"{sender} →")]
    return sorted((item["hop"], item["cause"], item["certainty"], item["lost"]) for item in found)
