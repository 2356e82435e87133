"""What a user sees of paced-link while a disk is full and while the network loses all packets. Tests/Link/kills.py disturbs
rows at random.
"""

import pytest

from harness.process import Disk, Network
from harness.timing import wait_for


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
