"""What a connection at a table may ask for, one function a request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from marias_env.actions import ACTION_IDS, ACTIONS, OVER
from marias_env.errors import AgentError
from marias_env.showing.phrases import phrases
from marias_table.lobby import Live, Lobby
from marias_table.protocol import (
    Act,
    AskAnalysis,
    ChangeSeat,
    CloseTable,
    Entrance,
    ErrorCode,
    Hint,
    Leave,
    Next,
    Ping,
    ProtocolError,
    Rename,
    Request,
    SetLanguage,
    Start,
    Sync,
    parse,
)
from marias_table.session import Session, too_fast
from marias_table.view import label_of, seat_view

FLOOD: Final = 200
"""Messages over the limit, one after another, until the connection is ended."""
COSTS: Final = {"hint": 3.0, "analysis": 3.0, "create": 3.0}
"""What counts as several messages."""


class Desk:
    """Hears what connections say, and answers.

    Args:
        lobby: the server's tables.
    """

    def __init__(self, lobby: Lobby) -> None:
        self.lobby = lobby
        self._tasks: set[asyncio.Task[None]] = set()

    def hear(self, session: Session, text: str) -> None:
        """Takes one message of a connection, whatever it is; nothing is raised.

        Args:
            session: the connection.
            text: what it sent.
        """
        if session.ended is not None:
            return
        number: int | None = None
        entering = session.live is None
        try:
            if not session.rate.take():
                if session.rate.refused > FLOOD:
                    session.end(1008, "too many messages")
                    return
                raise too_fast()
            message = parse(text)
            number = message.id
            if message.type in COSTS and not session.rate.take(COSTS[message.type] - 1):
                raise too_fast()
            if isinstance(message, Entrance):
                if not entering:
                    raise ProtocolError(ErrorCode.ALREADY_ENTERED, "this connection is at a table")
                self.lobby.admit(session, message)
            elif entering:
                raise ProtocolError(
                    ErrorCode.NOT_ENTERED, "expected create, join, enter or watch first"
                )
            else:
                self.handle(session, message)
        except ProtocolError as error:
            session.refuse(error, number)
            if entering:
                session.end(1008, error.code.value)
        except Exception as error:
            # Whatever it was: this table goes back to what is written of it, the others go on.
            session.refuse(ProtocolError(ErrorCode.FAILED, "the server failed"), number)
            self.lobby.failed(session.live, error)
            session.end(1011, "failed")

    def handle(self, session: Session, request: Request) -> None:
        """Does what is asked for, or raises and changes nothing.

        Raises:
            ProtocolError: it is refused.
        """
        live = session.live
        assert live is not None
        if isinstance(request, Ping):
            session.reply({"type": "pong", "re": request.id})
        elif isinstance(request, SetLanguage):
            session.language = request.language
            session.answered(request.id)
            session.update()
        elif isinstance(request, Sync):
            if request.since is not None:
                session.told = request.since
            session.answered(request.id)
            session.update()
        elif isinstance(request, AskAnalysis):
            self._analyse(session, live, request.id)
        elif session.seat is None:
            raise ProtocolError(ErrorCode.NOT_ALLOWED, "a spectator only watches")
        elif isinstance(request, Hint):
            self._hint(session, live, session.seat, request.id)
        else:
            self._change(session, live, session.seat, request)

    def _change(
        self,
        session: Session,
        live: Live,
        seat: int,
        request: Act | Next | Start | Leave | Rename | ChangeSeat | CloseTable,
    ) -> None:
        room, lobby = live.room, self.lobby
        if isinstance(request, (Start, ChangeSeat, CloseTable)) and not room.chairs[seat].host:
            raise ProtocolError(ErrorCode.NOT_ALLOWED, "only the table's host may do that")
        if isinstance(request, Act):
            place = (request.deal, request.at)
            room.act(seat, request.action, place, session.language, request.revoke)
        elif isinstance(request, Next):
            room.ready(seat)
        elif isinstance(request, Start):
            if room.started:
                raise ProtocolError(ErrorCode.WRONG_TIME, "play has begun")
            room.begin(early=True)
        elif isinstance(request, Rename):
            room.rename(seat, lobby.name_of(request.name))
        elif isinstance(request, ChangeSeat):
            if request.agent is not None:
                lobby.check_agent(request.agent)
            room.change_seat(request.seat, request.agent)
        elif isinstance(request, CloseTable):
            room.close()
        else:
            room.go(seat)
            lobby.dismiss(session, "left", request.id)
        session.answered(request.id)
        room.changed = True
        lobby.mark(live)

    # ------------------------------------------------------------------ what takes its time

    def _hint(self, session: Session, live: Live, seat: int, request: int) -> None:
        room = live.room
        deal = room.batch.deals[0]
        if not room.terms.hints:
            raise ProtocolError(ErrorCode.NOT_ALLOWED, "this table plays without hints")
        if not room.started or deal["phase"] == OVER:
            raise ProtocolError(ErrorCode.WRONG_TIME, "no deal is being played")
        if deal["turn"] != seat:
            raise ProtocolError(ErrorCode.NOT_YOUR_TURN, f"seat {deal['turn']} is on turn")
        views, place = seat_view(room.batch, seat), room.place
        agent = self.lobby.offer.adviser

        async def answer() -> dict[str, Any]:
            found = await self.lobby.pool.advise(agent, views)
            room.advised = place
            return {
                "type": "hint",
                "re": request,
                "deal": place[0],
                "at": place[1],
                "agent": agent,
                **told_advice(views.deals[0], views.rules, found, agent, session.language),
            }

        self._work(session, "hint", request, answer)

    def _analyse(self, session: Session, live: Live, request: int) -> None:
        room = live.room
        if not room.started or room.batch.deals["phase"][0] != OVER:
            raise ProtocolError(ErrorCode.WRONG_TIME, "the deal is not over")
        deal, record = room.deal, live.record()

        async def answer() -> dict[str, Any]:
            if live.analysis is None or live.analysis[0] != deal:
                live.analysis = (deal, await self.lobby.pool.study(record))
            return {"type": "analysis", "re": request, "deal": deal, **live.analysis[1]}

        self._work(session, "analysis", request, answer)

    def _work(
        self,
        session: Session,
        kind: str,
        request: int,
        answer: Callable[[], Awaitable[dict[str, Any]]],
    ) -> None:
        if kind in session.asking:
            raise ProtocolError(ErrorCode.BUSY, f"the answer to an earlier {kind} is not there yet")
        session.asking.add(kind)

        async def work() -> None:
            try:
                session.reply(await answer())
            except (AgentError, TimeoutError) as error:
                session.refuse(ProtocolError(ErrorCode.FAILED, str(error)), request)
            finally:
                session.asking.discard(kind)

        task = asyncio.get_running_loop().create_task(work())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """Drops what is being worked out."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def told_advice(
    deal: Any, rules: Any, found: dict[str, Any], agent: str, language: str
) -> dict[str, Any]:
    """Returns an agent's advice as a person is told of it.

    Args:
        deal: the view of the seat on turn.
        rules: its rules.
        found: what `worker.advise` returned.
        agent: its spec.
        language: `en` or `cs`.

    Returns:
        `action`, `label`, `reason`, `alternatives`.
    """
    words = phrases(language)

    def label(action: int) -> str:
        return label_of(deal, rules, action, language)

    alternatives = [
        {**alternative, "label": " · ".join(label(ACTION_IDS[a]) for a in alternative["actions"])}
        for alternative in found["alternatives"]
    ]
    if int(deal["legal"]).bit_count() == 1:
        reason = words["hint_only"]
    elif alternatives:
        reason = "; ".join(
            words["hint_alternative"].format(
                label=alternative["label"], units=alternative["units"], wins=alternative["wins"]
            )
            for alternative in alternatives[:3]
        )
    else:
        reason = words["hint_plain"].format(agent=agent)
    action = int(found["action"])
    return {
        "action": ACTIONS[action],
        "label": label(action),
        "reason": reason,
        "alternatives": alternatives,
    }
