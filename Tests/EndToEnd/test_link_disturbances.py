"""What a user sees of paced-link while a disk is full, while the network is away and while the broker drops messages.
Tests/Link/kills.py disturbs rows at random.
"""

import gzip
import json
import socket
import time
import types

import pytest

from harness.certificates import Identity
from harness.faults import Clock, fault_library
from harness.link import Subscriber
from harness.paced_net import StandingGpsd
from harness.process import Disk, Network
from harness.timing import real_seconds, wait_for


DAY = 86400


def storage_notices(reader):
    return len([event for event in reader.of("EVENT") if event.get("key") == "storage"])


@pytest.mark.thorough
def test_full_disk_holds_rows_back_with_one_notice_and_loses_none(link):
    link.start_broker()
    link.start_daemon()
    collector = link.start_collector()
    disk = link.stage.start(Disk(link.stage.directory / "link-state", size="1m"))
    reader = link.stage.reader(link.daemon, classes=["EVENT"])
    link.start_link(disk=disk, Collector={"Sinks": "collector", "AckTimeoutSec": 1})
    link.wait_for_rows(collector, *link.upload())
    disk.fill()
    number, uuid = link.upload(600)
    status = link.link.wait_for_state("collector", "paused", "cannot store what was delivered")
    assert "full" in status["reason"]
    reader.first("EVENT", event="notice", key="storage")
    later = link.upload(300)
    disk.free()
    link.wait_for_rows(collector, number, uuid)
    link.wait_for_rows(collector, *later)
    link.link.wait_for_state("collector", "connected")
    assert storage_notices(reader) == 1
    # The next time is told again.
    disk.fill()
    link.upload(600)
    link.link.wait_for_state("collector", "paused", "cannot store what was delivered")
    wait_for(lambda: storage_notices(reader) == 2, 60, "a second notice")


@pytest.mark.thorough
def test_network_that_loses_all_packets_is_noticed_by_the_keepalive_and_costs_no_row(link):
    network = link.stage.start(Network())
    link.within = network.within
    link.start_broker()
    link.start_daemon()
    collector = link.start_collector()
    link.start_link(Collector={"Sinks": "collector", "AckTimeoutSec": 1})
    link.wait_for_rows(collector, *link.upload())
    network.cut()
    number, uuid = link.upload(600)
    link.link.wait_for_state("mqtt", "waiting", seconds=150)
    network.mend()
    link.wait_for_rows(collector, number, uuid, seconds=150)


@pytest.mark.thorough
def test_rows_that_the_broker_has_acknowledged_and_dropped_are_sent_again(link):
    link.start_broker(lines=["max_inflight_messages 2", "max_queued_messages 2"])
    link.start_daemon()
    collector = link.start_collector()
    link.start_link(Collector={"Sinks": "collector", "AckTimeoutSec": 1})
    link.wait_for_rows(collector, *link.upload())
    collector.freeze()
    number, uuid = link.upload(600)
    wait_for(lambda: "messages are being dropped for client" in link.broker.log_text(), 60, "a broker that drops")
    collector.thaw()
    link.wait_for_rows(collector, number, uuid)


def size(directory):
    return sum(path.stat().st_size for path in directory.iterdir())


def is_at(link, place):
    position = link.daemon.call("status").get("position", {})
    return not position.get("stale") and position.get("latitude") == pytest.approx(place[0])


@pytest.mark.thorough
def test_week_without_a_network_grows_only_the_journal_and_ends_with_one_location_and_the_oldest_rows(link):
    clock, receiver = Clock(link.stage.directory), link.stage.keep(StandingGpsd())
    link.start_broker()
    link.start_daemon("--gpsd", receiver.option, "--sensors", "off", **clock.environment)
    collector = link.start_collector()
    link.start_link(environment=clock.environment, OwnTracks={"Mode": "mqtt"}, Collector={"Sinks": "collector"})
    link.wait_for_rows(collector, *link.upload())
    begun = size(link.link.state)
    link.broker.stop()
    link.link.wait_for_state("mqtt", "waiting")
    present = []
    for day in range(1, 8):
        clock.sleep(DAY)
        receiver.ahead += DAY
        receiver.place = (receiver.place[0] + 0.01, receiver.place[1])
        wait_for(lambda: is_at(link, receiver.place), 60, "the position of the day")
        present.append(link.upload(120, started_utc_ms=1_767_225_600_000 + day * DAY * 1000))
        wait_for(lambda: link.link.sink("collector")["rows"] == 122 * day, 60, "the backlog")
    # The revision of each activity, and no row of it.
    assert size(link.link.state) < begun + 64 * 1024
    link.broker.start()
    watcher = link.stage.keep(Subscriber(link.broker, "#"))
    # The pause between two attempts is a quarter of an hour at most.
    clock.sleep(900)
    receiver.ahead += 900
    for one in present:
        link.wait_for_rows(collector, *one, seconds=120)
    batches = [json.loads(gzip.decompress(message.payload)) for message in watcher.of("/rows")]
    assert list(dict.fromkeys(batch["activity"] for batch in batches)) == [uuid for _, uuid in present]
    locations = [message.json for message in watcher.of("/paced")]
    assert len(locations) in (1, 2) and locations[-1]["lat"] == pytest.approx(receiver.place[0])


def silent_name_server(link):
    link.start_broker()
    return {"mqtt": {"Host": "broker.invalid"}, "environment": {"LD_PRELOAD": fault_library("resolver")}}


def lost_packets(link):
    network = link.stage.start(Network())
    link.within = network.within
    link.start_broker()
    network.cut()
    return {}


def silent_handshake(link):
    listener = socket.create_server(("127.0.0.1", 0))
    identity = Identity(link.stage.directory, "broker")
    link.broker = link.stage.keep(types.SimpleNamespace(
        port=listener.getsockname()[1], identity=identity, end=listener.close))
    return {}


@pytest.mark.thorough
@pytest.mark.parametrize("obstacle", [silent_name_server, lost_packets, silent_handshake])
def test_connection_that_gets_no_answer_keeps_the_loop_quiet_and_free(link, obstacle):
    options = obstacle(link)
    link.start_daemon()
    link.start_link("health", **options)
    link.link.wait_for_state("mqtt", "connecting")
    begun, used = real_seconds(), link.link.processor_seconds()
    turns = link.link.kernel_status("voluntary_ctxt_switches")
    answers = 0
    while real_seconds() - begun < 10:
        assert link.link.sink("mqtt")["state"] in ("connecting", "waiting")
        answers += 1
        time.sleep(0.2)
    took = real_seconds() - begun
    assert answers > 20
    # The turns of the loop, and some for each answer: a loop that spins has thousands.
    assert link.link.kernel_status("voluntary_ctxt_switches") - turns < 100 * took
    assert link.link.processor_seconds() - used < 0.01 * took
