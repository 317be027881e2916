"""What is followed, and is hardly what somebody wants: the pod is injected, and whoever makes it is told."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from hopwatch_injector.eligibility import instrumented
from hopwatch_injector.fragment import Fragment
from hopwatch_injector.names import (
    CONTAINERS,
    INJECT,
    INJECTED,
    JOURNAL_DIRECTORY,
    OWNER,
    PREFIX,
    SEQUENCE,
    TOPIC,
)
from hopwatch_injector.wishes import Wishes

Json = dict[str, Any]
KNOWN = {INJECT, CONTAINERS, SEQUENCE, TOPIC, INJECTED, OWNER}


def unknown(annotations: Mapping[str, Any]) -> list[str]:
    """A warning for each annotation that is nearly one of ours."""
    return [
        f"hopwatch: there is no annotation {name}: {', '.join(sorted(KNOWN))} there are"
        for name in sorted(annotations)
        if name.startswith(f"{PREFIX}/") and name not in KNOWN
    ]


def unseen(spec: Json, fragment: Fragment, wishes: Wishes) -> list[str]:
    """A warning for each container that writes its journal where the agent does not read it."""
    read = [one.get("value") for one in fragment.application.env if one["name"] == JOURNAL_DIRECTORY]
    containers = [spec["containers"][place] for place in instrumented(spec, wishes)]
    return [
        f"hopwatch: container {container['name']} has a {JOURNAL_DIRECTORY} of its own: the agent reads {read[0]}, and sees nothing of it"
        for container in containers
        if read and _of(container) not in (None, PurePosixPath(str(read[0])))
    ]


def _of(container: Json) -> PurePosixPath | None:
    """What it says itself, which comes before what is added."""
    found = [
        PurePosixPath(str(one.get("value", "")))
        for one in container.get("env") or ()
        if one["name"] == JOURNAL_DIRECTORY
    ]
    return found[-1] if found else None
