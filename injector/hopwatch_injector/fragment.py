"""What is added to a pod, as the chart has written it: one template makes it for injected pods and for charts that include it."""

from pathlib import Path
from typing import Any

import msgspec

from hopwatch_injector.errors import FragmentError

Json = dict[str, Any]


class Application(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """What each instrumented container gets; ``pythonpath``: the folder whose ``sitecustomize`` instruments an interpreter."""

    pythonpath: str
    env: tuple[Json, ...] = ()
    volume_mounts: tuple[Json, ...] = ()


class Fragment(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """Parts of a pod. ``init_containers`` go before the pod's own, ``containers`` behind them.

    ``architectures``: of the nodes that the images are for, as Kubernetes calls them; none: of all.
    """

    application: Application
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    volumes: tuple[Json, ...] = ()
    init_containers: tuple[Json, ...] = ()
    containers: tuple[Json, ...] = ()
    image_pull_secrets: tuple[Json, ...] = ()
    architectures: tuple[str, ...] = ()

    @property
    def container_names(self) -> set[str]:
        """Of all that it adds."""
        return {item["name"] for item in (*self.init_containers, *self.containers)}

    @property
    def volume_names(self) -> set[str]:
        """Of all that it adds."""
        return {item["name"] for item in self.volumes}


def read_fragment(file: Path) -> Fragment:
    """Read a JSON file. Raises FragmentError that names the file and what is wrong with it."""
    try:
        fragment = msgspec.json.decode(file.read_bytes(), type=Fragment)
    except OSError as error:
        raise FragmentError(f"cannot read {file}: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise FragmentError(f"{file}: {error}") from error
    parts = {
        "volumes": fragment.volumes,
        "initContainers": fragment.init_containers,
        "containers": fragment.containers,
    }
    for part, items in parts.items():
        for place, item in enumerate(items):
            if not isinstance(item.get("name"), str):
                raise FragmentError(f"{file}: $.{part}[{place}] has no name")
    return fragment
