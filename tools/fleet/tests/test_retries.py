"""What is run next, by a clock of our own."""

from fleet.manifest import Unit
from fleet.retries import Policy, Queue
from fleet.unit import Kind, Outcome


def unit(number: int, seconds: float = 1.0) -> Unit:
    return Unit(f"{number:08x}{0:024x}", f"/r{number}", f"r{number}", f"r{number}", seconds, 1, 0, "{}")


def outcome(of: Unit, kind: Kind) -> Outcome:
    return Outcome(of.id, of.input, kind, 69, "why")


def test_the_costliest_come_first():
    queue = Queue([unit(1, 1), unit(2, 3), unit(3, 2)], Policy())
    assert [queue.next(0).name for _ in range(3)] == ["r2", "r3", "r1"]
    assert queue.next(0) is None and len(queue) == 0


def test_waits_longer_each_time_and_ends():
    one = unit(1)
    queue = Queue([one], Policy(attempts=4, delay=2, longest_delay=5))
    now, waits = 0.0, []
    while queue:
        wait = queue.seconds_to_next(now)
        assert queue.next(now + wait - 0.001) is None or wait == 0
        now += wait
        waits.append(wait)
        assert queue.next(now) == one
        queue.finish(outcome(one, Kind.AGAIN), now)
    spread = 0.5 + 1 / 0xFFFFFFFF
    assert [round(wait / spread, 3) for wait in waits] == [0, 2, 4, 5]
    assert queue.ended[one.id].error == "why"


def test_what_fails_for_good_is_not_tried_again():
    one, two = unit(1), unit(2)
    queue = Queue([one, two], Policy())
    queue.finish(outcome(queue.next(0), Kind.NEVER), 0)
    queue.finish(outcome(queue.next(0), Kind.DONE), 0)
    assert not queue and queue.retry_count == 0 and len(queue.ended) == 2


def test_deaths_are_counted_apart():
    one = unit(1)
    queue = Queue([one], Policy(attempts=2, deaths=5, delay=0.0))
    for _ in range(4):
        queue.finish(outcome(queue.next(1e9), Kind.AGAIN), 0, is_death=True)
        assert len(queue) == 1
    queue.finish(outcome(queue.next(1e9), Kind.AGAIN), 0)
    assert len(queue) == 1 and queue.death_count == 4 and queue.retry_count == 1
    queue.finish(outcome(queue.next(1e9), Kind.AGAIN), 0)
    assert not queue and one.id in queue.ended
