"""A client of the Renown server in one file, with nothing but the standard library.

    from renown import Renown
    renown = Renown("http://127.0.0.1:4747", key="pk_live_…")
    verdict = renown.evaluate("support-bot", "Your parcel arrives on Tuesday.")
    assert verdict["passed"], verdict["gates"]

Every call is tried again when the server is away or asks for patience. Evaluations carry their id from the first try on,
so that a retry counts once.
"""

from __future__ import annotations

import email.utils
import hashlib
import hmac
import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any, Callable, Iterable, Mapping

__all__ = ["Renown", "RenownError"]

_RETRY_STATUSES = {408, 425, 429}
_RETRY_AFTER_MAX_S = 300.0
_BACKOFF_MAX_S = 30.0
_BATCH_MAX = 1000


class RenownError(Exception):
    """What the server refused, or that it does not answer. `code` is one of the server's error codes."""

    def __init__(self, code: str, message: str, status: int = 0, details: list[dict] | None = None):
        super().__init__(message)
        self.code = code
        self.status = status
        self.details = details or []


class Renown:
    def __init__(
        self,
        url: str,
        key: str,
        signing_secret: str | None = None,
        attempts: int = 4,
        timeout_s: float = 10.0,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
        draw: Callable[[], float] = random.random,
    ):
        if not url.startswith(("http://", "https://")):
            raise ValueError("url must begin with http:// or https://")
        self._url = url.rstrip("/")
        self._key = key
        self._signing_secret = signing_secret
        self._attempts = attempts
        self._timeout_s = timeout_s
        self._sleep = sleep
        self._clock = clock
        self._draw = draw

    def evaluate(self, agent_id: str, output: Any, **fields: Any) -> dict:
        """Lets the server run its gates over one output. Fields: input, tool, latency_ms, session_id, tags and so on."""
        body = {"agent_id": agent_id, "output": output, "evaluation_id": str(uuid.uuid4()), **fields}
        return self._call("POST", "/v1/evaluate", body)

    def ingest(self, events: Iterable[Mapping[str, Any]]) -> dict:
        """Reports finished evaluations, a thousand to a request. Each needs agent_id, passed, gates and total_latency_ms."""
        batch = [{"evaluation_id": str(uuid.uuid4()), **event} for event in events]
        total: dict = {"accepted": 0, "duplicates": [], "reputations": {}}
        for start in range(0, len(batch), _BATCH_MAX):
            answer = self._call("POST", "/v1/ingest", {"events": batch[start : start + _BATCH_MAX]}, signed=True)
            total["accepted"] += answer["accepted"]
            total["duplicates"] += answer["duplicates"]
            total["reputations"].update(answer["reputations"])
        return total

    def reputation(self, agent_id: str) -> dict:
        """Where an agent stands; a score of 0 for one nobody has evaluated."""
        return self._call("GET", "/v1/reputation/" + urllib.parse.quote(agent_id, safe=""))

    def _call(self, method: str, path: str, body: Any = None, signed: bool = False) -> dict:
        data = None if body is None else json.dumps(body).encode("utf-8")
        attempt = 0
        while True:
            attempt += 1
            try:
                return self._send(method, path, data, signed, attempt)
            except urllib.error.HTTPError as answer:
                error = _to_error(answer)
                retry_after = _retry_after(answer.headers.get("Retry-After"), self._clock())
                if answer.code < 500 and answer.code not in _RETRY_STATUSES:
                    raise error from None
            except (OSError, http.client.HTTPException, ValueError) as cause:
                # Nobody, half an answer, or one that is no JSON: whoever that was, it was not Renown.
                error = RenownError("server_unavailable", f"The server at {self._url} does not answer.")
                error.__cause__ = cause
                retry_after = None
            if attempt >= self._attempts:
                raise error
            backoff = self._draw() * min(_BACKOFF_MAX_S, 0.5 * 2 ** (attempt - 1))
            self._sleep(backoff if retry_after is None else retry_after)

    def _send(self, method: str, path: str, data: bytes | None, signed: bool, attempt: int) -> dict:
        headers = {"Authorization": f"Bearer {self._key}"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        if signed and self._signing_secret is not None and data is not None:
            # A signature is good once: a retry within the same second needs another time.
            seconds = int(self._clock()) + attempt - 1
            text = f"{seconds}.".encode("ascii") + data
            digest = hmac.new(self._signing_secret.encode("utf-8"), text, hashlib.sha256).hexdigest()
            headers["X-Renown-Signature"] = f"t={seconds},v1={digest}"
        request = urllib.request.Request(self._url + path, data=data, headers=headers, method=method)
        with _OPENER.open(request, timeout=self._timeout_s) as answer:
            return json.load(answer)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A key goes to the server it was given for, and nowhere that server points to."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects)


def _to_error(answer: urllib.error.HTTPError) -> RenownError:
    try:
        body = json.load(answer)
        return RenownError(body["code"], body["error"], answer.code, body.get("details"))
    except (ValueError, KeyError, TypeError):
        return RenownError("server_unavailable", f"The server answered {answer.code}, and not as Renown does.", answer.code)


def _retry_after(header: str | None, now: float) -> float | None:
    """Seconds or a date, bounded; None when the header is absent or neither."""
    if header is None:
        return None
    try:
        seconds = float(header) if header.isdigit() else email.utils.parsedate_to_datetime(header).timestamp() - now
    except ValueError:
        return None
    return min(max(0.0, seconds), _RETRY_AFTER_MAX_S)
