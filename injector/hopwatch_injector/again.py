"""A pod that is injected already, and is asked about again: another webhook may have put its own folder before ours."""

from typing import Any

from hopwatch_injector.fragment import Fragment
from hopwatch_injector.names import AGENT, INJECTED, INSTRUMENTATION, PYTHONPATH
from hopwatch_injector.parts import annotations_of, containers_of

Json = dict[str, Any]


def is_injected(pod: Json) -> bool:
    """By its own word."""
    return INJECTED in annotations_of(pod)


def put_first(spec: Json, fragment: Fragment) -> list[Json]:
    """Operations that have an interpreter look into our folder first: of two that change how it starts, only the first is run, and ours runs the next one."""
    ours = fragment.application.pythonpath
    return [
        {"op": "replace", "path": f"/spec/containers/{place}/env/{variable}/value", "value": value}
        for place, container in enumerate(spec["containers"])
        if any(mount.get("name") == INSTRUMENTATION for mount in container.get("volumeMounts") or ())
        for variable, one in enumerate(container.get("env") or ())
        if one["name"] == PYTHONPATH
        and (value := _first(one.get("value") or "", ours)) != one.get("value", value)
    ]


def warnings_of(spec: Json) -> list[str]:
    """Of a template that was copied from a pod, and brings the word without the agent."""
    if any(container["name"] == AGENT for container in containers_of(spec)):
        return []
    return [
        f"hopwatch: not injected: the pod says {INJECTED}, and has no container {AGENT}: take the annotation away"
    ]


def _first(value: str, ours: str) -> str:
    folders = value.split(":") if value else []
    return ":".join([ours, *(folder for folder in folders if folder != ours)])
