"""What a user sees of paced-link while a disk is full, while the network loses all packets and while the broker drops messages.
Tests/Link/kills.py disturbs rows at random.
"""

import socket
import time
import types

import pytest

from harness.certificates import Identity
from harness.faults import fault_library
from harness.process import Disk, Network
from harness.timing import real_seconds, wait_for


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
