"""From what the API server asks to what it is answered."""

from typing import Any

from hopwatch_injector.again import is_injected, put_first, warnings_of
from hopwatch_injector.eligibility import (
    is_asked_for,
    is_new_pod,
    is_out_of_reach,
    require_architecture,
    require_end,
    require_port,
    require_room,
    require_user,
)
from hopwatch_injector.errors import WishError
from hopwatch_injector.fragment import Fragment
from hopwatch_injector.parts import annotations_of
from hopwatch_injector.patch import patch
from hopwatch_injector.review import Request, answer
from hopwatch_injector.shape import pod_in
from hopwatch_injector.unseen import unknown, unseen
from hopwatch_injector.wishes import wishes_of

Json = dict[str, Any]


def inject(request: Request, fragment: Fragment, *, by_namespace: bool) -> Json:
    """The answer, which always lets the pod pass; ``by_namespace``: its namespace asks for all its pods. Raises ReviewError."""
    if not is_new_pod(request):
        return answer(request, [], [])
    pod = pod_in(request.object)
    if is_out_of_reach(pod):
        return answer(request, [], [])
    if is_injected(pod):
        return answer(request, put_first(pod["spec"], fragment), warnings_of(pod["spec"]))
    try:
        wishes = wishes_of(annotations_of(pod))
        if not is_asked_for(wishes, by_namespace=by_namespace):
            return answer(request, [], [])
        for require in (require_room, require_end, require_port, require_architecture, require_user):
            require(pod["spec"], fragment)
        warnings = [*unknown(annotations_of(pod)), *unseen(pod["spec"], fragment, wishes)]
        return answer(request, patch(pod, fragment, wishes), warnings)
    except WishError as error:
        return answer(request, [], [f"hopwatch: not injected: {error}"])
