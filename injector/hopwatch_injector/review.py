"""AdmissionReview of admission.k8s.io/v1: what the API server asks, and what it is answered."""

import base64
from typing import Any

import msgspec

from hopwatch_injector.errors import ReviewError

Json = dict[str, Any]

API_VERSION = "admission.k8s.io/v1"
KIND = "AdmissionReview"
LONGEST_WARNING = 1000
"""In characters: what a pod has a thousand of is not listed to the end."""


class GroupVersionKind(msgspec.Struct, frozen=True):
    """Of what is asked."""

    kind: str
    group: str = ""
    version: str = ""


class Request(msgspec.Struct, frozen=True, rename="camel"):
    """What the API server tells of an object that somebody makes, which is not read yet; fields that are not needed are passed over."""

    uid: str
    kind: GroupVersionKind
    operation: str
    object: msgspec.Raw = msgspec.Raw(b"null")
    namespace: str = ""
    sub_resource: str = ""


class _Review(msgspec.Struct, frozen=True, rename="camel"):
    api_version: str
    kind: str
    request: Request


def request_in(body: bytes) -> Request:
    """The request in a review. Raises ReviewError."""
    try:
        review = msgspec.json.decode(body, type=_Review)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ReviewError(f"no {KIND}: {error}") from error
    if (review.api_version, review.kind) != (API_VERSION, KIND):
        raise ReviewError(f"{API_VERSION} {KIND} is understood, not {review.api_version} {review.kind}")
    if not review.request.uid:
        raise ReviewError("$.request.uid is empty")
    return review.request


def answer(request: Request, patch: list[Json], warnings: list[str]) -> Json:
    """The review that lets the object pass, changed by an RFC 6902 patch. ``warnings`` are shown to who makes it."""
    response: Json = {"uid": request.uid, "allowed": True}
    if patch:
        response |= {
            "patchType": "JSONPatch",
            "patch": base64.b64encode(msgspec.json.encode(patch)).decode(),
        }
    if warnings:
        response["warnings"] = [
            text if len(text) <= LONGEST_WARNING else f"{text[:LONGEST_WARNING]}..." for text in warnings
        ]
    return {"apiVersion": API_VERSION, "kind": KIND, "response": response}
