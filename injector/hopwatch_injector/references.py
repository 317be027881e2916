"""Where a container refers to a variable that Kubernetes fills in."""

from typing import Any

from hopwatch_injector.errors import WishError
from hopwatch_injector.names import PYTHONPATH

Json = dict[str, Any]
REFERENCE = f"$({PYTHONPATH})"
PLACES = ("command", "args", "volumeMounts", "lifecycle", "startupProbe", "readinessProbe", "livenessProbe")


def require_no_reference(container: Json) -> None:
    """Raises WishError if anything but ``PYTHONPATH`` itself is made of it: with our folder in it, that would be another thing."""
    others = [one for one in container.get("env") or () if one["name"] != PYTHONPATH]
    if _mentions([others, *(container.get(place) for place in PLACES)]):
        raise WishError(
            f"container {container['name']} refers to {REFERENCE}, which would have hopwatch's folder in it"
        )


def _mentions(item: Any) -> bool:
    if isinstance(item, str):
        # of two, the first says that the second is meant as it is
        return REFERENCE in item.replace("$$", "")
    if isinstance(item, dict):
        return any(map(_mentions, item.values()))
    return isinstance(item, list) and any(map(_mentions, item))
