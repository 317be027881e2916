"""HTTP status of one agent."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hopwatch_api.app import create_app
    from hopwatch_api.state import AgentState

__all__ = ["AgentState", "create_app"]


def __getattr__(name: str) -> Any:
    # the command is loaded with this package, and must not wait for FastAPI
    if name in __all__:
        from hopwatch_api import app

        return getattr(app, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
