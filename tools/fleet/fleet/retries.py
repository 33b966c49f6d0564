"""Which unit is run next, and when one that failed is run again: no engine in it, and no clock."""

from __future__ import annotations

import dataclasses
import heapq
from collections import Counter

from .manifest import Unit
from .unit import Kind, Outcome


@dataclasses.dataclass(frozen=True, slots=True)
class Policy:
    """How often and how soon a unit is tried again."""

    attempts: int = 5
    # Deaths of workers and machines are not the unit's fault, but one that always kills its worker has to end.
    deaths: int = 20
    delay: float = 2.0
    longest_delay: float = 300.0

    def wait(self, unit: Unit, failures: int) -> float:
        """Seconds to wait after so many failures: doubled each time, and moved by the unit's id so that not all come at once."""
        spread = 0.5 + int(unit.id[:8], 16) / 0xFFFFFFFF
        return min(self.longest_delay, self.delay * 2 ** (failures - 1)) * spread


class Queue:
    """Units that wait: first those that cost most, so that none of them is left for the end."""

    def __init__(self, units: list[Unit], policy: Policy) -> None:
        self._policy = policy
        self._order = {unit.id: number for number, unit in enumerate(sorted(units, key=lambda u: (-u.seconds, u.id)))}
        self._units = {unit.id: unit for unit in units}
        self._waiting = [(0.0, number, unit_id) for unit_id, number in self._order.items()]
        heapq.heapify(self._waiting)
        self._failures: Counter[str] = Counter()
        self._deaths: Counter[str] = Counter()
        self.ended: dict[str, Outcome] = {}

    def __len__(self) -> int:
        """Units that are neither ended nor under way."""
        return len(self._waiting)

    def next(self, now: float) -> Unit | None:
        """A unit whose time has come."""
        if not self._waiting or self._waiting[0][0] > now:
            return None
        return self._units[heapq.heappop(self._waiting)[2]]

    def seconds_to_next(self, now: float) -> float | None:
        return max(0.0, self._waiting[0][0] - now) if self._waiting else None

    def finish(self, outcome: Outcome, now: float, is_death: bool = False) -> None:
        """Takes how a unit ended; one that may succeed another time waits again, until it was tried often enough."""
        counts = self._deaths if is_death else self._failures
        limit = self._policy.deaths if is_death else self._policy.attempts
        if outcome.kind is Kind.AGAIN:
            counts[outcome.id] += 1
            if counts[outcome.id] < limit:
                ready = now + self._policy.wait(self._units[outcome.id], counts[outcome.id])
                heapq.heappush(self._waiting, (ready, self._order[outcome.id], outcome.id))
                return
        self.ended[outcome.id] = outcome

    @property
    def retry_count(self) -> int:
        return self._failures.total()

    @property
    def death_count(self) -> int:
        return self._deaths.total()
