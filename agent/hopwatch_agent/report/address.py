"""Where a report may be."""

from hopwatch_agent.errors import SettingsError
from hopwatch_agent.landing.address import NOWHERE, check_scheme


def check_report_address(uri: str) -> None:
    """Raises ``SettingsError`` for an address that no report can have."""
    if uri.startswith(NOWHERE):
        raise SettingsError(f"cannot read a report at {uri}: nothing is there")
    try:
        check_scheme(uri)
    except SettingsError as error:
        told = (text.replace("cannot land at", "cannot read a report at", 1) for text in error.problems)
        raise SettingsError(*told) from error
