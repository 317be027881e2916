"""What an object store's refusal means, for whoever has to mend it."""

import re

from hopwatch_agent.landing.address import secrets_in

# in pyarrow's messages, the most telling first; what a real store answers to each is in the tests
_MEANINGS = (
    ("SIGNATURE_DOES_NOT_MATCH", "the secret key is wrong"),
    ("INVALID_ACCESS_KEY_ID", "the access key is not known there"),
    ("ExpiredToken", "the session token has expired"),
    ("EXPIRED_TOKEN", "the session token has expired"),
    ("InvalidBucketName", "no bucket may have that name"),
    ("NO_SUCH_BUCKET", "there is no such bucket"),
    ("NoSuchBucket", "there is no such bucket"),
    ("ACCESS_DENIED", "access is denied: there are no credentials, they may not write there, or there is no such bucket"),
    ("curlCode: 6,", "the host's name cannot be resolved"),
    ("curlCode: 7,", "nothing listens there, or the network does not reach it"),
    ("curlCode: 28,", "it does not answer"),
    ("curlCode: 52,", "it broke off"),
    ("curlCode: 56,", "it broke off"),
    ("curlCode: 60,", "its certificate is not trusted"),
    ("INTERNAL_FAILURE", "it has failed within"),
    ("We encountered an internal error", "it has failed within"),
    ("SLOW_DOWN", "it asks to be asked less"),
    ("No space left on device", "the disk is full"),
)  # fmt: skip
_REQUEST = re.compile(r"\s*\(?Request ?ID:? ?[^\s)]*\)?", re.IGNORECASE)


def explained(text: str) -> str:
    """The text of an error, after what it means where that is known; without what is another one at each try."""
    text = _REQUEST.sub("", text)
    meaning = next((meaning for sign, meaning in _MEANINGS if sign in text), None)
    return text if meaning is None else f"{meaning} ({text})"


def told_without_secrets(text: str, uri: str) -> str:
    """The same, without what the address of the place must not show."""
    reason = explained(text)
    for secret in secrets_in(uri):
        reason = reason.replace(secret, "(not shown)")
    return reason
