"""Examples/collector with a real broker, a real database, and messages of the test in the place of paced-link."""

import gzip
import json
import random
import signal
import uuid

import pytest

from harness.link import Collector, Subscriber
from harness.servers import Mosquitto
from harness.timing import wait_for
from matrix import matrix

ACTIVITY = "0198c0de-0000-7000-8000-000000000001"


class Board(Subscriber):
    """In the place of the paced-link of one board."""

    def __init__(self, broker, name="collector"):
        self.device = str(uuid.uuid4())
        super().__init__(broker, f"paced/v1/{self.device}/ack/{name}")

    def send(self, payload, subject="rows"):
        self.publish(f"paced/v1/{self.device}/{subject}", payload)

    def answered(self, kind, **members):
        """Sends a message, and returns the next acknowledgement without its epoch."""
        since = len(self.messages)
        message = {"kind": kind, "device": self.device, "activity": ACTIVITY} | members
        self.send(gzip.compress(json.dumps(message).encode()))
        answer = self.wait("an acknowledgement", lambda message: True, since=since)
        assert answer.qos == 1
        assert uuid.UUID(answer.json["epoch"]).version == 4 and answer.json["activity"] == message["activity"]
        return {name: answer.json[name] for name in ("revision", "next")}

    def rows(self, first, following, revision=1, leave_out=()):
        rows = [{"n": n} | row(n) for n in range(first, following) if n not in leave_out]
        return self.answered("rows", revision=revision, **{"from": first}, next=following, rows=rows)

    def head(self, revision, following=None, **summary):
        places = {} if following is None else {"next": following}
        return self.answered(
            "activity", revision=revision, deleted=False, open=following is None, summary=summary, **places)

    def delete(self, revision):
        return self.answered("activity", revision=revision, deleted=True)


def row(n):
    return {"row": "sample", "at_ms": n * 1000, "elapsed_ms": n * 1000, "latitude": 58.95918281748891 + n / 3e7,
            "altitude_m": 142.39999999999998, "bpm": 60 + n % 7, "distance_m": 0.0}


@pytest.fixture
def broker(stage):
    return stage.start(Mosquitto(stage.directory))


@pytest.fixture
def collector(stage, broker, database):
    return stage.start(Collector(stage.directory, broker, database.database()).init())


@pytest.fixture
def board(stage, broker, collector):
    return stage.keep(Board(broker))


def test_rows_and_heads_are_kept_and_acknowledged(stage, broker, collector, board):
    assert board.head(1, sport="run", open=True) == {"revision": 1, "next": 0}
    assert board.rows(0, 30) == {"revision": 1, "next": 30}
    assert board.rows(30, 47) == {"revision": 1, "next": 47}
    assert board.head(2, 47, sport="run", name="Round the lake", started="2026-03-01T07:30:12.300Z") == {
        "revision": 2, "next": 47}

    assert collector.rows(ACTIVITY) == {n: row(n) for n in range(47)}
    state = collector.state(ACTIVITY)
    assert (state["places"], state["open"], state["deleted"]) == (47, False, False)
    assert state["summary"]["name"] == "Round the lake"
    at, latitude, power = collector.query(
        "SELECT extract(epoch FROM at)::float8, latitude, power_w FROM activity_sample WHERE n = 3")[0]
    assert (at, latitude, power) == (1772350215.3, row(3)["latitude"], None)
    # A board that connects later learns where the collector is.
    later = stage.keep(Subscriber(broker, board.topics[0]))
    assert later.wait("what is retained", lambda message: True).json == board.messages[-1].json


def test_what_comes_twice_or_late_or_with_a_hole_changes_nothing(collector, board):
    board.rows(0, 10)
    assert board.rows(0, 10) == {"revision": 0, "next": 10}
    # Rows after a hole are kept, and not acknowledged. Places without a row are no hole.
    assert board.rows(20, 30) == {"revision": 0, "next": 10}
    assert board.rows(10, 20, leave_out=[12, 19]) == {"revision": 0, "next": 20}
    assert board.rows(20, 30) == {"revision": 0, "next": 30}
    assert board.head(5, 30, name="new") == {"revision": 5, "next": 30}
    assert board.head(4, 30, name="old") == {"revision": 5, "next": 30}
    assert collector.state(ACTIVITY)["summary"] == {"name": "new"}
    assert collector.rows(ACTIVITY) == {n: row(n) for n in range(30) if n not in (12, 19)}


def test_deleted_activity_stays_deleted_until_its_board_restores_it(collector, board):
    board.head(1, 20, name="here")
    board.rows(0, 20)
    assert board.delete(2) == {"revision": 2, "next": 0}
    # Messages from before the deletion that come late.
    assert board.rows(0, 20, revision=1) == {"revision": 2, "next": 0}
    assert board.rows(0, 20, revision=2) == {"revision": 2, "next": 0}
    assert board.head(1, 20) == {"revision": 2, "next": 0}
    assert collector.rows(ACTIVITY) == {} and collector.state(ACTIVITY)["deleted"]
    assert collector.state(ACTIVITY)["summary"] is None

    assert board.head(3, 20, name="back") == {"revision": 3, "next": 0}
    assert board.rows(0, 20, revision=3) == {"revision": 3, "next": 20}
    assert board.delete(2) == {"revision": 3, "next": 20}
    assert len(collector.rows(ACTIVITY)) == 20 and not collector.state(ACTIVITY)["deleted"]


@pytest.mark.thorough
def test_boards_do_not_disturb_each_other(stage, broker, collector, board):
    other = stage.keep(Board(broker))
    board.rows(0, 5)
    other.rows(0, 7)
    board.delete(1)
    assert collector.query("SELECT device::text, count(*) FROM sample GROUP BY 1") == [(other.device, 7)]


def test_events_are_kept_once_by_their_numbers(collector, board):
    for seq in (4, 5, 5, 7):
        board.send(json.dumps({"seq": seq, "event": "lap"}), "event")
    wait_for(lambda: len(collector.query("SELECT FROM event")) == 3, 60, "three events")
    assert collector.query("SELECT body FROM event WHERE seq = 7") == [({"seq": 7, "event": "lap"},)]


def message(**members):
    return lambda device: json.dumps(
        {"kind": "rows", "device": device, "activity": ACTIVITY, "revision": 1, "from": 0, "next": 1,
         "rows": [{"n": 0}]} | members)


def raw(text):
    """Rows with a text that Python would not write."""
    return lambda device: message(rows="ROWS")(device).replace('"ROWS"', text)


def head(**members):
    return lambda device: json.dumps(
        {"kind": "activity", "device": device, "activity": ACTIVITY, "revision": 1, "deleted": False, "open": True,
         "summary": {}} | members)


HOSTILE = {
    "nothing": lambda _: b"",
    "no JSON": lambda _: b"\xff\xfe{",
    "a list": lambda _: b"[]",
    "deep": lambda _: b"[" * 200_000,
    "deep rows": raw("[" * 900 + "]" * 900),
    "a deep row": raw('[{"n":0,"a":' + "[" * 5000 + "]" * 5000 + "}]"),
    "cut gzip": lambda _: gzip.compress(b"{}" * 1000)[:-10],
    "no gzip": lambda _: b"\x1f\x8b" + b"x" * 100,
    "a bomb": lambda _: gzip.compress(b" " * 500_000_000, 9),
    "a large message": lambda _: b" " * (1 << 20) + b" ",
    "a long number": raw('[{"n":0,"a":' + "9" * 100_000 + "}]"),
    "infinity": raw('[{"n":0,"a":Infinity}]'),
    "a number beyond doubles": raw('[{"n":0,"a":1e999}]'),
    "U+0000": raw(r'[{"n":0,"a":"\u0000"}]'),
    "half a character": raw(r'[{"n":0,"a":"\ud800"}]'),
    "another board": message(device=str(uuid.UUID(int=1))),
    "no device": message(device=None),
    "no activity": message(activity=None),
    "an activity that is a list": message(activity=[]),
    "another kind": message(kind="other"),
    "a kind that is a list": message(kind=[]),
    "a revision of 0": message(revision=0),
    "a revision that is true": message(revision=True),
    "rows below 0": message(**{"from": -1}),
    "rows that go back": message(**{"from": 2}),
    "too many places": message(next=1 << 31),
    "a row at another place": message(rows=[{"n": 1}]),
    "a row without a place": message(rows=[{}]),
    "a row with half a place": message(rows=[{"n": 0.5}]),
    "a row that is a number": message(rows=[1]),
    "rows that are an object": message(rows={}),
    "a head without a summary": head(summary=None),
    "a head that is deleted maybe": head(deleted=None),
    "a head with a wrong start": head(summary={"started": "2026-02-30T00:00:00Z"}),
    "a head with U+0000": head(summary={"name": "\0"}),
    "a head of negative length": head(next=-1),
}


@pytest.mark.parametrize("name", matrix(list(HOSTILE), "a bomb", "U+0000", "deep"))
def test_hostile_message_is_logged_once_and_skipped(collector, board, name):
    before = collector.kernel_status("VmHWM")
    payload = HOSTILE[name](board.device)
    for _ in range(25):  # More than the broker sends without an acknowledgement.
        board.send(payload)
    assert board.rows(0, 3) == {"revision": 0, "next": 3}
    log = collector.log_text()
    assert log.count("skipped") == 1 and log.count("collecting as") == 1, log
    assert len(log) < 1000
    assert collector.rows(ACTIVITY) == {n: row(n) for n in range(3)}
    # Events have no more rights.
    board.send(payload, "event")
    assert board.rows(3, 4)["next"] == 4
    assert collector.query("SELECT FROM event") == [] and collector.subscriptions() == 1
    assert collector.kernel_status("VmHWM") - before < 64 * 1024


def test_message_that_the_broker_should_not_hand_over_is_not_taken(collector, board):
    board.send(b" " * (1 << 22))
    assert board.rows(0, 1)["next"] == 1


@pytest.mark.thorough
def test_random_messages_are_skipped(collector, board):
    chance = random.Random("collector")
    rows, one_head = message()(board.device).encode(), head()(board.device).encode()
    good = [rows, one_head, gzip.compress(rows)]
    for _ in range(2000):
        payload = bytearray(chance.choice(good))
        for _ in range(chance.randint(1, 4)):
            payload[chance.randrange(len(payload))] = chance.randrange(256)
        board.send(bytes(payload), chance.choice(["rows", "rows", "event", "status"]))
    board.rows(0, 1)
    assert collector.subscriptions() == 1 and "skipped" in collector.log_text()


def test_lost_database_gives_no_acknowledgement_and_is_found_again(collector, board, database):
    board.rows(0, 10)
    database.kill()
    count = len(board.messages)
    board.send(message(**{"from": 10, "next": 11, "rows": [{"n": 10}]})(board.device))
    wait_for(lambda: len(collector.log_text().splitlines()) > 1, 60, "the loss in the log")
    assert len(board.messages) == count
    database.start()
    wait_for(lambda: collector.subscriptions() == 2, 60, "a collector that is back")
    assert board.rows(10, 20)["next"] == 20
    assert collector.rows(ACTIVITY) == {n: row(n) for n in range(20)}


@pytest.mark.thorough
def test_restarted_broker_is_found_again(broker, collector, board):
    board.rows(0, 10)
    broker.kill()
    wait_for(lambda: "refused" in collector.log_text(), 60, "the loss in the log")
    broker.start()
    wait_for(lambda: collector.subscriptions() == 2 and board.subscribed.is_set(), 60, "a collector that is back")
    assert board.rows(10, 20)["next"] == 20
    # The broker kept nothing; what was in the log once is not there for each attempt.
    assert collector.log_text().count("refused") == 1


@pytest.mark.thorough
def test_killed_collector_has_kept_what_it_acknowledged(collector, board):
    for first in range(0, 100, 10):
        board.rows(first, first + 10)
        collector.kill()
        assert collector.rows(ACTIVITY) == {n: row(n) for n in range(first + 10)}
        collector.start()


def test_each_board_learns_a_new_epoch_although_nothing_is_due(collector, board):
    board.head(3, 10, started="2026-03-01T07:30:00Z")
    board.rows(0, 10)
    known = board.messages[-1].json["epoch"]
    board.publish(f"paced/v1/{board.device}/status", b"online", retain=True)
    greeting = board.wait("a greeting", lambda message: True, since=len(board.messages) - 1)
    assert greeting.json == {"epoch": known, "activity": ACTIVITY, "revision": 3, "next": 10}
    collector.stop()
    collector.run("new-epoch")
    count = len(board.messages)
    collector.start()
    greeting = board.wait("a greeting", lambda message: True, since=count)
    assert greeting.json["epoch"] != known and greeting.json["next"] == 10


def test_board_that_is_unknown_learns_the_epoch(collector, board):
    board.publish(f"paced/v1/{board.device}/status", b"offline", retain=True)
    board.publish(f"paced/v1/{board.device}/status", b"online", retain=True)
    greeting = board.wait("a greeting", lambda message: True)
    assert greeting.json["activity"] == str(uuid.UUID(int=0)) and greeting.json["next"] == 0
    assert len(board.messages) == 1


def test_collectors_of_a_group_share_the_messages(stage, broker, database):
    address, directory = database.database(), stage.directory
    group = [
        stage.start(Collector(directory, broker, address, "--shared", "g", log=directory / f"{one}.log").init())
        for one in range(2)]
    board = stage.keep(Board(broker))
    board.head(1)
    for first in range(0, 100, 10):
        board.rows(first, first + 10)
    assert len(board.messages) == 11
    # What one of them would get is for the other when it has gone.
    group[0].kill()
    for first in range(100, 160, 10):
        board.rows(first, first + 10)
    assert group[1].rows(ACTIVITY) == {n: row(n) for n in range(160)}


def test_init_changes_no_data_and_run_without_it_says_so(stage, broker, database, collector, board):
    board.rows(0, 3)
    epoch = collector.query("SELECT epoch FROM epoch")
    collector.init()
    assert collector.query("SELECT epoch FROM epoch") == epoch and len(collector.rows(ACTIVITY)) == 3
    empty = Collector(stage.directory, broker, database.database(), name="empty")
    stage.keep(empty).start(waits=False)
    assert empty.process.wait(60) == 1
    assert "collector.py init" in empty.log_text()


def test_refused_collector_says_why(stage, database):
    broker = stage.start(Mosquitto(stage.directory, users={"collector": "right"}))
    collector = Collector(stage.directory, broker, database.database(), "--user", "collector").init()
    collector.environment["COLLECTOR_PASSWORD"] = "wrong"
    stage.keep(collector).start(waits=False)
    wait_for(lambda: "refuses the connection: Not authorized" in collector.log_text(), 60, "the reason")
    collector.end(signal.SIGTERM)
    collector.environment["COLLECTOR_PASSWORD"] = "right"
    collector.start()
