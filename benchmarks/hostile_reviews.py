"""What a hostile client costs the injector: reviews made to take time and memory, and connections that never agree on TLS."""

from __future__ import annotations

import json
import socket
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from charts import CHART, VALUES, fragment_in, objects, rendered  # noqa: E402

from tests.injector.conftest import Injector, injector_adding  # noqa: E402

ROOM = (3 << 20) - 700
ASKED = '{"metadata":{"annotations":{"hopwatch.dev/inject":"true"}},"spec":'
VARIABLES = ",".join(f'{{"name":"E{place}","value":"{"v" * 200}"}}' for place in range(40))
REVIEW = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview"}
REQUEST = {"uid": "1", "kind": {"version": "v1", "kind": "Pod"}, "operation": "CREATE", "namespace": "x"}
SILENT = 1000


def many(item: str) -> str:
    """As many of an item as a review has room for, in a field that nobody looks at."""
    return f'{ASKED}{{"containers":[{{"name":"a"}}],"x":[{",".join([item] * (ROOM // (len(item) + 1)))}]}}}}'


def containers(items: list[str]) -> str:
    return f'{ASKED}{{"containers":[{",".join(items)}]}}}}'


PODS = {
    "a million empty lists": many("[]"),
    "450,000 small objects": many('{"":0}'),
    "240,000 containers": containers(['{"name":"a"}'] * (ROOM // 13)),
    "250 containers of 40 variables": containers(
        [f'{{"name":"a{place}","env":[{VARIABLES}]}}' for place in range(250)]
    ),
}


def review_of(pod: str) -> bytes:
    request = json.dumps(REQUEST)[:-1]
    return f'{json.dumps(REVIEW)[:-1]}, "request": {request}, "object": {pod}}}}}'.encode()


def main() -> None:
    added = fragment_in(objects(rendered("4", CHART, "--values", VALUES["s3"])))
    with tempfile.TemporaryDirectory() as folder, injector_adding(Path(folder), added) as injector:
        print(f"begins with {most(injector)} MB\n")
        print("| review | status | took | most memory so far |\n| --- | --- | --- | --- |")
        for name, pod in PODS.items():
            began = time.monotonic()
            status = asked(injector, review_of(pod))
            print(f"| {name} | {status} | {time.monotonic() - began:.2f} s | {most(injector)} MB |")
        largest = review_of(PODS["450,000 small objects"])
        with ThreadPoolExecutor(16) as pool:
            list(pool.map(lambda _: asked(injector, largest), range(64)))
        print(f"| 64 of the second kind, 16 at once | | | {most(injector)} MB |")
    with tempfile.TemporaryDirectory() as folder, injector_adding(Path(folder), added) as injector:
        tell_of_silence(injector)


def asked(injector: Injector, body: bytes) -> int:
    url = f"{injector.client.base_url}/pods/by-annotation"
    return httpx.post(url, content=body, verify=injector.trusting, timeout=100).status_code


def tell_of_silence(injector: Injector) -> None:
    address = (injector.client.base_url.host, injector.client.base_url.port)
    with ExitStack() as stack:
        for _ in range(SILENT):
            stack.enter_context(socket.create_connection(address))
        began = time.monotonic()
        with httpx.Client(base_url=injector.client.base_url, verify=injector.trusting) as honest:
            honest.get("/healthz").raise_for_status()
        took = time.monotonic() - began
        print(
            f"\n{SILENT} connections that say nothing: {most(injector)} MB; an honest one beside them: {took:.2f} s"
        )


def most(injector: Injector) -> int:
    """MB that it has had at most."""
    status = Path(f"/proc/{injector.process.pid}/status").read_text()
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM"))
    return round(int(line.split()[1]) / 1000)


if __name__ == "__main__":
    main()
