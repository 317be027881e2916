"""Whether the agent of the fragment would start: found out before it is in everybody's pods."""

from collections.abc import Mapping
from typing import Any

from hopwatch_agent.errors import SettingsError
from hopwatch_agent.landing.address import check_scheme
from hopwatch_agent.report.address import check_report_address
from hopwatch_agent.settings.sections import settings_from
from hopwatch_agent.settings.sources import CONFIG, options_from, variable_of

from hopwatch_injector.errors import FragmentError
from hopwatch_injector.fragment import Fragment
from hopwatch_injector.names import AGENT

Json = dict[str, Any]


def require_agent_settings(fragment: Fragment) -> None:
    """Raises FragmentError with all that is wrong with the variables of the agent's container."""
    for container in (*fragment.init_containers, *fragment.containers):
        if container["name"] == AGENT:
            _require(_environment(container))


def _require(environ: Mapping[str, str]) -> None:
    try:
        settings = settings_from(options_from(environ, {}), environ)
        check_scheme(settings.landing.uri)
        if settings.report is not None:
            check_report_address(settings.report)
    except SettingsError as error:
        raise FragmentError("\n".join(f"{AGENT} would not start: {one}" for one in error.problems)) from error


def _environment(container: Json) -> dict[str, str]:
    """Without what only the pod knows, a file of settings among it."""
    told = {one["name"]: one["value"] for one in container.get("env") or () if "value" in one}
    return {name: value for name, value in told.items() if name != variable_of(CONFIG)}
