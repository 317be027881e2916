"""From what the API server asks to what it is answered."""

from typing import Any

from hopwatch_injector.eligibility import (
    annotations_of,
    is_asked_for,
    is_new_pod,
    is_out_of_reach,
    require_architecture,
    require_end,
    require_port,
    require_room,
)
from hopwatch_injector.errors import WishError
from hopwatch_injector.fragment import Fragment
from hopwatch_injector.patch import patch
from hopwatch_injector.review import Request, answer
from hopwatch_injector.shape import require_pod
from hopwatch_injector.unseen import unseen
from hopwatch_injector.wishes import wishes_of

Json = dict[str, Any]


def inject(request: Request, fragment: Fragment, *, by_namespace: bool) -> Json:
    """The answer, which always lets the pod pass; ``by_namespace``: its namespace asks for all its pods. Raises ReviewError."""
    pod = request.object
    if not is_new_pod(request) or pod is None:
        return answer(request, [], [])
    require_pod(pod)
    try:
        wishes = wishes_of(annotations_of(pod))
        if not is_asked_for(wishes, by_namespace=by_namespace) or is_out_of_reach(pod):
            return answer(request, [], [])
        for require in (require_room, require_end, require_port, require_architecture):
            require(pod["spec"], fragment)
        return answer(request, patch(pod, fragment, wishes), unseen(pod["spec"], fragment, wishes))
    except WishError as error:
        return answer(request, [], [f"hopwatch: not injected: {error}"])
