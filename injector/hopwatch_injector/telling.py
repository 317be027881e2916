"""What the log says of each pod: whoever makes one by a Deployment does not see the warnings of the answer."""

from typing import Any

import msgspec
from hopwatch_agent.logs.events import EventLogger

from hopwatch_injector.owner import owner_of
from hopwatch_injector.review import Request

Json = dict[str, Any]
log = EventLogger(__name__)


class _Object(msgspec.Struct, frozen=True):
    metadata: Json | None = None


def tell(request: Request, response: Json) -> None:
    """One line where it was changed, and one for each warning. What was answered is a pod."""
    if "patch" not in response and "warnings" not in response:
        return
    metadata = msgspec.json.decode(request.object, type=_Object).metadata or {}
    # one that has yet to get its name has what that will begin with
    name = metadata.get("name") or f"{metadata.get('generateName', '')}*"
    of = {"pod": f"{request.namespace}/{name}", "owner": owner_of({"metadata": metadata})}
    if "patch" in response:
        log.info("injected", **of)
    for text in response.get("warnings", ()):
        log.warning("warned", **of, text=text)
