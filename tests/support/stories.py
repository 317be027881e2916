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
