"""Answers over HTTP that every server of the page gives: its files, words, cards, errors."""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from marias_env.showing.card_faces import DECKS, face_sheet
from marias_env.showing.phrases import LANGUAGES, phrases
from marias_table.protocol import ErrorCode, ProtocolError
from marias_table.session import error_message

STATIC: Final = Path(__file__).parent / "static"


class Page(StaticFiles):
    """The page's files, always asked for anew (and answered in short if they are the same).

    Args:
        start: the file that `/`, and every place that the page draws itself, is.
    """

    def __init__(self, start: str = "index.html") -> None:
        super().__init__(directory=STATIC, check_dir=False)
        self._start = start

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Returns a file."""
        if path in ("", "."):
            path = self._start
        try:
            return await super().get_response(path, scope)
        except HTTPException as error:
            # The page draws its own places, such as /table: all of them are one file.
            if error.status_code != 404 or "." in path.rpartition("/")[2] or path.startswith("api"):
                raise
            return await super().get_response(self._start, scope)

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Returns a file that the browser may keep, but asks for again."""
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response


def language_of(request: HttpRequest, default: str) -> str:
    """Returns the language that a request asks for."""
    asked = request.query_params.get("language", default)
    return asked if asked in LANGUAGES else default


def words(request: HttpRequest, default: str) -> Response:
    """Returns every word of the page in the language that is asked for."""
    return same(request, phrases(language_of(request, default)))


async def cards(request: HttpRequest) -> Response:
    """Returns the sheet of a deck's cards."""
    deck = request.path_params["deck"]
    if deck not in DECKS:
        return refusal(404, ErrorCode.BAD_MESSAGE, f"decks: {', '.join(DECKS)}")
    return tagged(request, _sheet(deck), "image/svg+xml")


@functools.cache
def _sheet(deck: str) -> bytes:
    return face_sheet(deck).encode()


def same(request: HttpRequest, content: Any) -> Response:
    """Returns JSON that is the same every time."""
    return tagged(request, json.dumps(content, ensure_ascii=False).encode(), "application/json")


def tagged(request: HttpRequest, content: bytes, media_type: str) -> Response:
    """Returns content with a tag; a browser asks again, and is told in short if it has it."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    # Compressed on its way, the tag may come back marked as weak.
    known = request.headers.get("if-none-match", "").split(",")
    if tag in [part.strip().removeprefix("W/") for part in known]:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=media_type, headers=headers)


def refusal(status: int, code: ErrorCode, message: str) -> Response:
    """Returns an error (docs/protocol.md)."""
    error = error_message(ProtocolError(code, message), None)
    return JSONResponse(error, status_code=status, headers={"cache-control": "no-store"})
