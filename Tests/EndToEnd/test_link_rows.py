"""Rows and heads of activities: from the journal by paced-link, a broker and the example collector to a database."""

import gzip
import json
import shutil
import subprocess
import sys
import uuid

import pytest

from harness.fixture import ProcessFixture
from harness.link import Collector, LinkFixture
from harness.process import PACECTL, ROOT
from harness.timing import GUARD, expect, wait_for

RUN = ROOT / "Tests/Data/fit/run-fenix2-9km.fit"


def import_file(link, path):
    """Imports a file; returns the number and the uuid of its activity."""
    state = link.stage.directory / "state"
    command = [PACECTL, "--runtime-dir", link.daemon.runtime, "--state-dir", state, "import", path]
    subprocess.run([str(word) for word in command], check=True, capture_output=True, timeout=GUARD)
    newest = link.daemon.call("activities.list")[0]
    return newest["id"], newest["uuid"]


def messages(subscriber, kind):
    """The messages of rows or heads, unpacked."""
    for message in subscriber.of("/rows"):
        assert ("encoding", "gzip") in message.properties["UserProperty"]
        content = json.loads(gzip.decompress(message.payload))
        if content["kind"] == kind:
            yield content


def wait_until_deleted(collector, activity):
    wait_for(lambda: (collector.state(activity) or {}).get("deleted"), 60, "a tombstone")
    assert collector.rows(activity) == {} and collector.state(activity)["summary"] is None


def test_imported_activity_arrives_bit_for_bit(link):
    collector = link.start()
    watcher = link.listen("+/rows")
    number, name = import_file(link, RUN)
    rows = link.wait_for_rows(collector, number, name)
    assert len(rows) == 2811
    state = collector.state(name)
    assert (state["next"], state["places"], state["open"], state["deleted"]) == (2811, 2811, False, False)
    batches = list(messages(watcher.catch_up(), "rows"))
    assert all(len(json.dumps(batch, separators=(",", ":"))) <= 65536 for batch in batches)
    assert {batch["device"] for batch in batches} == {link.device}
    # Nothing was lost, so nothing was sent twice.
    assert sum(len(batch["rows"]) for batch in batches) == 2811
    wait_for(lambda: link.link.sink("collector")["rows"] == 0, 60, "the acknowledgement")
    assert link.link.sink("collector")["state"] == "connected"


def test_run_arrives_while_it_is_recorded(link):
    collector = link.start()
    link.daemon.control.result("run.start", sport="run", indoor=True)
    wait_for(lambda: collector.query("SELECT FROM sample"), 60, "first rows")
    (name, is_open, places), = collector.query("SELECT activity::text, open, places FROM activity")
    assert is_open and places is None
    link.daemon.control.result("run.lap")
    number = link.daemon.call("status")["activity"]
    link.daemon.control.result("run.stop")
    wait_for(lambda: not link.summary(number)["open"], 60, "the end of the activity")
    rows = link.wait_for_rows(collector, number, name)
    assert rows[0]["row"] == "begin" and rows[len(rows) - 1]["row"] == "end"
    assert collector.state(name)["places"] == len(rows)


def test_edited_name_is_a_new_head(link):
    collector = link.start()
    number, name = link.upload()
    link.wait_for_rows(collector, number, name)
    watcher = link.listen("+/rows")
    link.daemon.control.result("activities.edit", id=number, name="Round the lake ✓")
    wait_for(lambda: collector.state(name)["summary"].get("name") == "Round the lake ✓", 60, "the name")
    assert [head["revision"] for head in messages(watcher.catch_up(), "activity")] == [2]
    assert list(messages(watcher, "rows")) == []


def test_trash_deletes_the_rows_and_a_late_batch_does_not_bring_them_back(link):
    collector = link.start()
    watcher = link.listen("+/rows", "+/ack/+")
    number, name = link.upload(90)
    rows = link.wait_for_rows(collector, number, name)
    late = watcher.catch_up().of("/rows")
    link.daemon.control.result("activities.trash", id=number)
    wait_until_deleted(collector, name)
    before = len(watcher.of("/ack/collector"))
    for message in late:
        watcher.publish(message.topic, message.payload)
    wait_for(lambda: len(watcher.of("/ack/collector")) >= before + len(late), 60, "answers to the late messages")
    assert collector.rows(name) == {} and collector.state(name)["deleted"]

    link.daemon.control.result("activities.restore", id=number)
    assert link.wait_for_rows(collector, number, name) == rows


def test_erased_activity_is_deleted_also_when_paced_link_was_away(link):
    collector = link.start()
    number, name = link.upload()
    other, other_name = link.upload(30)
    link.wait_for_rows(collector, number, name)
    link.wait_for_rows(collector, other, other_name)
    link.link.stop()
    link.daemon.control.result("activities.delete", id=number)
    link.link.start()
    wait_until_deleted(collector, name)
    assert collector.rows(other_name) == link.rows(other)


def test_demo_runs_are_never_sent(link):
    link.start_broker()
    link.start_demo()
    collector = link.start_collector()
    link.start_link(Collector={"Sinks": "collector"})
    demo = link.daemon.call("status")["activity"]
    link.daemon.control.result("run.stop")
    wait_for(lambda: not link.summary(demo)["open"], 60, "the end of the demo's run")
    number, name = link.upload()
    link.wait_for_rows(collector, number, name)
    assert collector.query("SELECT activity::text FROM activity") == [(name,)]


@pytest.mark.thorough
def test_each_collector_has_a_position_of_its_own(link):
    office = link.start(sinks="home collector")
    home = link.start_collector(name="home")
    first = link.upload(200)
    for collector in (home, office):
        link.wait_for_rows(collector, *first)
    office.stop()
    second = link.upload(300)
    link.wait_for_rows(home, *second)
    assert office.rows(second[1]) == {}
    wait_for(lambda: link.link.sink("collector")["rows"] == 302, 60, "a backlog of the one that is away")
    wait_for(lambda: link.link.sink("home")["rows"] == 0, 60, "the acknowledgement of the other one")
    office.start()
    link.wait_for_rows(office, *second)


@pytest.mark.thorough
def test_restored_database_gets_all_rows_again_after_its_new_epoch(link):
    collector = link.start()
    first = link.upload(200)
    link.wait_for_rows(collector, *first)
    collector.stop()
    backup = link.database.database(collector.database.split("dbname=")[1])
    collector.start()
    second = link.upload(100)
    link.wait_for_rows(collector, *second)
    collector.stop()

    restored = Collector(link.stage.directory, link.broker, backup, log=link.stage.directory / "restored.log")
    assert restored.rows(first[1]) and not restored.rows(second[1])
    restored.run("new-epoch")
    link.stage.start(restored)
    link.wait_for_rows(restored, *first)
    link.wait_for_rows(restored, *second)


@pytest.mark.thorough
def test_new_database_gets_everything(link):
    collector = link.start()
    first = link.upload(200)
    link.wait_for_rows(collector, *first)
    collector.stop()
    link.wait_for_rows(link.start_collector(), *first)


@pytest.mark.thorough
def test_old_acknowledgement_that_the_broker_has_kept_loses_no_row(link):
    collector = link.start()
    watcher = link.listen("+/ack/+")
    first = link.upload(500)
    link.wait_for_rows(collector, *first)
    old = watcher.wait("a first acknowledgement", lambda message: message.json["next"] > 0)
    second = link.upload(100)
    link.wait_for_rows(collector, *second)
    link.link.kill()
    watcher.publish(old.topic, old.payload, retain=True)
    link.link.start()
    third = link.upload(100)
    for activity in (first, second, third):
        link.wait_for_rows(collector, *activity)


@pytest.mark.thorough
def test_lost_state_of_paced_link_costs_a_repetition_and_no_row(link):
    collector = link.start()
    number, name = link.upload(100)
    link.daemon.control.result("activities.edit", id=number, name="first")
    link.wait_for_rows(collector, number, name)
    link.daemon.control.result("activities.edit", id=number, name="second")
    link.wait_for_rows(collector, number, name)
    revision = collector.state(name)["revision"]
    link.link.stop()
    shutil.rmtree(link.link.state)
    link.daemon.control.result("activities.edit", id=number, name="third")
    link.link.start()
    # Its head has a revision that is too low, until the collector says so.
    link.wait_for_rows(collector, number, name)
    assert collector.state(name)["revision"] > revision


@pytest.mark.thorough
def test_damaged_state_is_set_aside(link):
    collector = link.start()
    number, name = link.upload()
    link.wait_for_rows(collector, number, name)
    link.link.stop()
    for suffix in ("-wal", "-shm"):
        (link.link.state / f"link.sqlite{suffix}").unlink(missing_ok=True)
    (link.link.state / "link.sqlite").write_bytes(b"no database" * 1000)
    link.link.start()
    assert "set aside" in link.link.log_text()
    link.wait_for_rows(collector, *link.upload(30))


@pytest.mark.thorough
def test_boards_at_one_broker_are_told_apart(link):
    collector = link.start()
    other = LinkFixture(ProcessFixture(), link.database)
    link.stage.keep(other.stage)
    other.broker = link.broker
    other.start_daemon()
    other.start_link(Collector={"Sinks": "collector", "AckTimeoutSec": 1})
    assert link.device != other.device
    # The same activity on both boards, as after a copy of its file.
    shared = str(uuid.uuid4())
    link.wait_for_rows(collector, *link.upload(50))
    for board in (link, other):
        board.upload(70, uuid=shared)

    def counts():
        return dict(collector.query("SELECT device::text, count(*) FROM sample WHERE activity = %s GROUP BY 1", shared))

    wait_for(lambda: counts() == {link.device: 72, other.device: 72}, 60, "the activities of both")
    link.daemon.control.result("activities.trash", id=link.daemon.call("activities.list")[0]["id"])
    wait_for(lambda: counts() == {other.device: 72}, 60, "the activity of the other board alone")


def test_level_position_sends_no_heart_rate(link):
    collector = link.start("position")
    number, name = link.upload(60, average_bpm=150.0, max_bpm=170)
    wait_for(lambda: len(collector.rows(name)) == 62, 60, "rows")
    wait_for(lambda: (collector.state(name) or {}).get("summary"), 60, "a summary")
    rows = link.rows(number)
    assert all(row.pop("bpm") for row in rows.values() if row["row"] == "sample")
    assert collector.rows(name) == rows
    assert link.summary(number)["average_bpm"] == 150 and "bpm" not in json.dumps(collector.state(name)["summary"])


def test_level_below_position_has_no_collectors(link):
    link.start_broker()
    link.start_daemon()
    with pytest.raises(AssertionError, match="Sinks= needs Level=position or full"):
        link.start_link("coarse", Collector={"Sinks": "collector"})


def test_hidden_start_and_end_are_not_sent(link):
    """The activity goes 1.3 km to the north. A circle of 300 m reaches 108 to 492 m beyond what it hides."""
    collector = link.start(mqtt={"HideMetres": 300})
    number, name = link.upload(600)
    wait_for(lambda: len(collector.rows(name)) > 150, 60, "rows")
    sent = [row["latitude"] for row in collector.rows(name).values() if "latitude" in row]
    known = [row["latitude"] for row in link.rows(number).values() if "latitude" in row]
    assert sent and set(sent) < set(known)
    metres = 111_195
    assert min(sent) - min(known) >= 107 / metres and max(known) - max(sent) >= 107 / metres
    # The places are those of the visible rows, and their number is known when all have been read.
    assert sorted(collector.rows(name)) == list(range(len(collector.rows(name))))
    wait_for(lambda: collector.state(name)["places"] == len(collector.rows(name)), 60, "the number of rows in the head")


def test_rows_wait_on_a_metered_network_until_they_are_asked_for(link):
    link.start_broker()
    link.start_daemon()
    collector = link.start_collector()
    watcher = link.listen("+/state")
    link.start_link(mqtt={"MeteredInterfaces": "wwan0 lo"}, Collector={"Sinks": "collector", "AckTimeoutSec": 1})
    number, name = link.upload()
    wait_for(lambda: link.link.sink("collector")["rows"] == 62, 60, "a backlog")
    link.link.wait_for_state("collector", "paused", "metered")
    # Live values go on.
    count = len(watcher.messages)
    wait_for(lambda: len(watcher.messages) > count + 1, 60, "states")
    assert collector.query("SELECT FROM activity") == []
    assert link.link.call("link.flush") is None
    link.wait_for_rows(collector, number, name)


def kills(count, seed):
    program = [sys.executable, "-B", ROOT / "Tests/Link/kills.py", "--kills", str(count), "--seed", str(seed)]
    result = subprocess.run(program, capture_output=True, text=True)
    expect(result.returncode == 0, result.stdout + result.stderr)
    print(result.stdout)
    assert f"{count} kills" in result.stdout and "rows are equal" in result.stdout


@pytest.mark.parametrize("count", [3, pytest.param(50, marks=pytest.mark.thorough)])
def test_no_row_is_lost_when_broker_collector_and_paced_link_are_killed(count):
    kills(count, seed=47)
