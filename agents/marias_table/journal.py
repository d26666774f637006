"""What a room writes down as it goes, so that a killed server goes on where its tables were."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from marias_table.chairs import Chair
    from marias_table.room import Terms


class Journal:
    """Where one room writes. This one keeps nothing; `store.TableJournal` does."""

    def terms(self, terms: Terms) -> None:
        """Somebody else stands in from now on."""

    def seat(self, seat: int, chair: Chair) -> None:
        """A chair has changed."""

    def dealt(self, deal: int, dealer: int, deck: Sequence[str], first_of_match: bool) -> None:
        """A deal begins, the first of a match or a later one."""

    def acted(self, deal: int, at: int, seat: int, action: int, by: str) -> None:
        """An action was taken, the `at`-th of the deal, by a person or an agent's spec."""

    def finished(
        self, deal: int, payments: Sequence[int], players: Sequence[dict[str, str]]
    ) -> None:
        """A deal has ended; `players` tells who sat where: `kind`, `name`, of agents `agent`."""
