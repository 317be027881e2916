"""Why a request has no answer, as RFC 9457 has it: ``application/problem+json``."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hopwatch.errors import HopwatchError
from pydantic import ConfigDict, Field
from starlette.responses import Response

from hopwatch_api.model import Model

MEDIA_TYPE = "application/problem+json"
_TYPES = "tag:hopwatch.dev,2026:"


@dataclass(frozen=True)
class Kind:
    """One kind of problem: programs tell it by ``type``, people by ``title``."""

    name: str
    status: int
    title: str

    @property
    def type(self) -> str:
        """A URI that leads nowhere; "about:blank" where the status says all."""
        return _TYPES + self.name if self.name else "about:blank"


INVALID_PARAMETERS = Kind("invalid-parameters", 422, "Parameters that cannot be used")
UNKNOWN_SOCKET = Kind("unknown-socket", 404, "No such socket")
UNKNOWN_PATH = Kind("unknown-path", 404, "No such path")
WRONG_METHOD = Kind("wrong-method", 405, "No such method at this path")
TOKEN_NEEDED = Kind("token-needed", 401, "A token is needed")
CERTIFICATE_NEEDED = Kind("certificate-needed", 403, "A client certificate is needed")
THIS_HOST_ALONE = Kind("this-host-alone", 403, "Other hosts are not answered")
OTHER_NAME = Kind("other-name", 421, "This agent does not go by that name")
BUSY = Kind("busy", 503, "Too many requests at once")
NO_MORE_WATCH = Kind("no-more-watch", 503, "Nobody more can watch")
METRICS_OFF = Kind("metrics-off", 503, "Metrics are turned off")
UNREADABLE = Kind("unreadable", 400, "No request that can be read")
FAULT = Kind("fault", 500, "A fault of the agent")


class ParameterProblem(Model):
    """What is wrong with one parameter."""

    model_config = ConfigDict(populate_by_name=True)

    place: str = Field(validation_alias="in", serialization_alias="in", description="query or path")
    name: str
    given: str
    text: str = Field(description="what is wrong")
    allowed: str = Field(description="what it may be; of a parameter that there is not: those that there are")


class Problem(Model):
    """Why a request has no answer (RFC 9457)."""

    type: str = Field(description="a URI that names the kind of problem; it leads nowhere")
    title: str = Field(description="the kind of problem, in words")
    status: int = Field(description="that of HTTP")
    detail: str = Field(description="this very problem, in words")
    errors: list[ParameterProblem] = Field(
        default=[], description="each parameter that cannot be used; not there where none is at fault"
    )


class NoAnswerError(HopwatchError):
    """A request that gets a problem for an answer."""

    def __init__(self, kind: Kind, detail: str, errors: Iterable[ParameterProblem] = ()) -> None:
        super().__init__(detail)
        self.kind = kind
        self.errors = tuple(errors)


def problem_body(kind: Kind, detail: str, errors: Iterable[ParameterProblem] = ()) -> bytes:
    """The answer's body."""
    told: dict[str, Any] = {
        "type": kind.type,
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
    }
    at_fault = [error.model_dump(by_alias=True) for error in errors]
    return json.dumps({**told, "errors": at_fault} if at_fault else told).encode()


def problem(
    kind: Kind,
    detail: str,
    errors: Iterable[ParameterProblem] = (),
    headers: Mapping[str, str] | None = None,
) -> Response:
    """The answer."""
    return Response(problem_body(kind, detail, errors), kind.status, headers=headers, media_type=MEDIA_TYPE)
