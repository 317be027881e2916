"""How a list is answered: its items, and where its next page is."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import msgspec
from fastapi import Request
from fastapi.responses import Response
from hopwatch_agent.live.asking import Key, Page
from pydantic import TypeAdapter

from hopwatch_api.model import Model
from hopwatch_api.validators import JSON, answered

_json = msgspec.json.Encoder()


class ListOf:
    """Answers with lists of one model. ``place``: the parameter that the next page is asked for by, and its value.

    ``lasting``: what it tells stays the same for a while, so that it is worth a validator. Where figures move each second, none is the same twice.
    """

    def __init__(
        self, model: type[Model], parameter: str, written: Callable[[Key], str], *, lasting: bool
    ) -> None:
        self._adapter: TypeAdapter[list[Any]] = TypeAdapter(list[model])  # type: ignore[valid-type]
        self._parameter = parameter
        self._written = written
        self._lasting = lasting

    def answer(self, request: Request, page: Page[Any]) -> Response:
        """A page of it, or all."""
        headers = self._links(request, page)
        if not self._lasting:
            # by far the longest ones: views have the fields of their models, and are not copied into them first
            return Response(_json.encode(page.items), headers=headers, media_type=JSON)
        body = self._adapter.dump_json(self._adapter.validate_python(list(page)), by_alias=True)
        return answered(request, body, headers=headers)

    def _links(self, request: Request, page: Page[Any]) -> dict[str, str]:
        """RFC 8288. Relative: by whichever name and way the agent was asked, it is asked again."""
        if page.after is None:
            return {}
        others = {name: value for name, value in request.query_params.items() if name != self._parameter}
        query = urlencode({**others, self._parameter: self._written(page.after)})
        return {"link": f'<{request.url.path}?{query}>; rel="next"'}
