"""Whether an agent could run with its settings, found out without running it."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from hopwatch.ownership import foreign_owner
from hopwatch_agent.errors import SettingsError
from hopwatch_agent.landing.landing import Landing
from hopwatch_agent.report.file import ReportFile
from hopwatch_agent.settings.sections import AgentSettings, ListenSettings, misfits, settings_from, without
from hopwatch_agent.settings.sources import readable_options

from hopwatch_api.listening import listening, place_of
from hopwatch_api.server import Access


def everything_wrong(environ: Mapping[str, str], flags: Mapping[str, str | bool | None]) -> list[str]:
    """All that is wrong with the settings, wherever they are given: one fault hides no other."""
    options, problems = readable_options(environ, flags)
    found = misfits(options, environ)
    problems += [misfit.text for misfit in found]
    try:
        settings = settings_from(without(options, found), environ)
    except SettingsError as error:
        return [*problems, *error.problems]
    return [*problems, *problems_of(settings)]


def problems_of(settings: AgentSettings) -> list[str]:
    """All that would keep it from running or landing. Nothing is made, and nobody is asked over a network."""
    checks: list[Callable[[], object]] = [
        # closed it would run, and be of use to nobody
        lambda: Access(replace(settings.access, start_closed=False)),
        lambda: _listen(settings),
        lambda: Landing(settings.landing.uri),
        lambda: settings.report and ReportFile(settings.report),
    ]
    problems = [text for check in checks for text in _problems_in(check)]
    problems += _unwritable("data directory", settings.data)
    if "://" not in settings.landing.uri:
        problems += _unwritable("landing folder", Path(settings.landing.uri).absolute())
    return [*problems, *_unreadable("journal directory", settings.journal.directory)]


def _problems_in(check: Callable[[], object]) -> Iterator[str]:
    try:
        check()
    except SettingsError as error:
        yield from error.problems


def _listen(settings: AgentSettings) -> None:
    place = place_of(settings.listen, settings.access)
    # the port may be in use, by the agent that runs with these very settings
    free = ListenSettings(str(place.address[0]), 0)
    with listening(place_of(free, settings.access)):
        pass


def _unwritable(what: str, path: Path) -> Iterator[str]:
    """What cannot be used of a folder that is there or would be made."""
    there = next(folder for folder in (path, *path.parents) if folder.exists())
    if (problem := foreign_owner(path)) is not None:
        yield f"the {what} cannot be {path}: {problem}"
    elif not there.is_dir():
        yield f"the {what} cannot be {path}: {there} is no folder"
    elif not os.access(there, os.W_OK | os.X_OK):
        yield f"the {what} cannot be {path}: {there} may not be written"


def _unreadable(what: str, path: Path) -> Iterator[str]:
    """What cannot be used of a folder that applications make, and may not have made yet."""
    if (problem := foreign_owner(path)) is not None:
        yield f"the {what} cannot be {path}: {problem}"
    elif path.exists() and not path.is_dir():
        yield f"the {what} cannot be {path}: it is no folder"
    elif path.exists() and not os.access(path, os.R_OK | os.W_OK | os.X_OK):
        yield f"the {what} cannot be {path}: its files may not be read and unlinked"
