"""How long the injector takes to answer: its real server over HTTPS, with what the chart adds and reviews of all kinds of pod that the tests know."""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from charts import CHART, VALUES, fragment_in, objects, rendered  # noqa: E402
from pods import KINDS  # noqa: E402

from tests.injector.conftest import Injector, injector_adding  # noqa: E402

AT_ONCE = 8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reviews", type=int, default=2000)
    reviews = parser.parse_args().reviews
    added = fragment_in(objects(rendered("4", CHART, "--values", VALUES["s3"])))
    with (
        tempfile.TemporaryDirectory() as folder,
        injector_adding(Path(folder), added) as injector,
    ):
        kept = [injector.client]
        timed(kept, injector, len(KINDS))
        print(f"| {len(KINDS)} kinds of pod, {reviews:,} reviews | median | p99 | longest |")
        print("| --- | --- | --- | --- |")
        tell("one after the other, over one connection", timed(kept, injector, reviews))
        tell("each over a connection of its own", anew(injector, reviews // 4))
        clients = [another(injector) for _ in range(AT_ONCE)]
        tell(f"{AT_ONCE} at once", timed(clients, injector, reviews))
        for client in clients:
            client.close()


def another(injector: Injector) -> httpx.Client:
    return httpx.Client(base_url=injector.client.base_url, verify=injector.trusting)


def timed(clients: list[httpx.Client], injector: Injector, reviews: int) -> list[float]:
    """Seconds of each review; the clients share them out, each in a thread of its own."""
    seconds: list[float] = []

    def work(client: httpx.Client) -> None:
        asking = injector.over(client)
        seconds.extend(took(asking, number) for number in range(reviews // len(clients)))

    threads = [threading.Thread(target=work, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return seconds


def anew(injector: Injector, reviews: int) -> list[float]:
    seconds = []
    for number in range(reviews):
        began = time.perf_counter()
        with another(injector) as client:
            took(injector.over(client), number)
        seconds.append(time.perf_counter() - began)
    return seconds


def took(injector: Injector, number: int) -> float:
    kind = [*KINDS.values()][number % len(KINDS)]
    began = time.perf_counter()
    injector.review(kind.pod, by=kind.by, **kind.request)
    return time.perf_counter() - began


def tell(what: str, seconds: list[float]) -> None:
    ordered = sorted(seconds)
    places = [ordered[int(share * (len(ordered) - 1))] for share in (0.5, 0.99, 1)]
    print(f"| {what} | {' | '.join(f'{1000 * place:.1f} ms' for place in places)} |", flush=True)


if __name__ == "__main__":
    main()
