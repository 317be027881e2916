"""``/healthz`` and ``/readyz``: of no version, since whoever keeps the agent running asks them."""

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from hopwatch_api.model import Model
from hopwatch_api.state import AgentState


class HealthModel(Model):
    """Whether the agent works; the reason if not."""

    ok: bool
    reason: str | None = None


_UNHEALTHY: dict[int | str, dict[str, Any]] = {
    503: {"model": HealthModel, "description": "It does not work, or has nothing true to show yet"}
}
EXAMPLES: dict[tuple[str, int], Any] = {
    (path, status): {"ok": reason is None, "reason": reason}
    for path in ("/healthz", "/readyz")
    for status, reason in ((200, None), (503, "the loop has ended"))
}
"""By path and status."""


def health_of(state: AgentState) -> APIRouter:
    """Both of them."""
    router = APIRouter()

    @router.get("/healthz", response_model=HealthModel, responses=_UNHEALTHY)
    async def healthz() -> JSONResponse:
        """Whether the agent's loop runs."""
        return _health(state.failure())

    @router.get("/readyz", response_model=HealthModel, responses=_UNHEALTHY)
    async def readyz() -> JSONResponse:
        """Whether the journal directory has been read."""
        return _health(state.not_ready())

    return router


def _health(reason: str | None) -> JSONResponse:
    return JSONResponse({"ok": reason is None, "reason": reason}, status_code=200 if reason is None else 503)
