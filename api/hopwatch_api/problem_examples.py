"""How the description of the interface tells of problems: by their one model, with an example of each kind."""

import json
from collections import defaultdict
from typing import Any

from hopwatch_api.problems import (
    BUSY,
    CERTIFICATE_NEEDED,
    FAULT,
    INVALID_PARAMETERS,
    MEDIA_TYPE,
    METRICS_OFF,
    NO_MORE_WATCH,
    OTHER_NAME,
    THIS_HOST_ALONE,
    TOKEN_NEEDED,
    UNKNOWN_SOCKET,
    Kind,
    ParameterProblem,
    Problem,
    problem_body,
)

_WRONG = ParameterProblem(
    place="query",
    name="limit",
    given="0",
    text="it must be a whole number from 1 to 10000",
    allowed="a whole number from 1 to 10000",
)
_DETAILS = {
    INVALID_PARAMETERS: f"limit=0: {_WRONG.text}",
    UNKNOWN_SOCKET: "no socket has the id 5f1c3a9be27d4480",
    TOKEN_NEEDED: "send the agent's token: Authorization: Bearer ...",
    CERTIFICATE_NEEDED: "the connection has shown no client certificate that holds",
    THIS_HOST_ALONE: "this agent asks for no token, so that it answers its own host alone",
    OTHER_NAME: "this agent does not go by the name in the Host header: see allowed_hosts",
    BUSY: "too many requests are being answered: ask again in a second",
    NO_MORE_WATCH: "as many watch as may, or the agent is stopping: close a page of it, or a hopwatch top",
    METRICS_OFF: "OTEL_SDK_DISABLED is true",
    FAULT: "the agent could not make this answer: its log says why",
}


def problems_of(*kinds: Kind) -> dict[int | str, dict[str, Any]]:
    """These answers, by their status, as FastAPI takes them."""
    by_status: defaultdict[int, list[Kind]] = defaultdict(list)
    for kind in kinds:
        by_status[kind.status].append(kind)
    return {status: _answer(of_it) for status, of_it in by_status.items()}


def _answer(kinds: list[Kind]) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{Problem.__name__}"}
    examples = {kind.name: {"summary": kind.title, "value": _example(kind)} for kind in kinds}
    return {
        "description": ", or: ".join(kind.title for kind in kinds),
        "content": {MEDIA_TYPE: {"schema": schema, "examples": examples}},
    }


def _example(kind: Kind) -> Any:
    errors = [_WRONG] if kind is INVALID_PARAMETERS else []
    return json.loads(problem_body(kind, _DETAILS[kind], errors))
