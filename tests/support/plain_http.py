"""HTTP without TLS. httpx alone reads all certificates that the system trusts for each request, which takes a core for 70 ms."""

import functools
import ssl

import httpx

NOBODY_TRUSTED = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
get = functools.partial(httpx.get, verify=NOBODY_TRUSTED)
post = functools.partial(httpx.post, verify=NOBODY_TRUSTED)
stream = functools.partial(httpx.stream, verify=NOBODY_TRUSTED)
