#!/usr/bin/env python3
"""Disturbs rows that flow to a database at random, and compares it with the journal.

The broker, the collector and paced-link are killed, the clock is set, the machine sleeps, the network is cut, and disks are
full. Before each disturbance the board gets another activity, and now and then one is renamed, put in the trash or taken
out of it. So there is always something to send. Each follows a message that reached the database after the one before.
"""

import argparse
import collections
import contextlib
import itertools
import os
import pathlib
import random
import subprocess
import sys
import time
from uuid import UUID

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from harness.client import ControlClient  # noqa: E402
from harness.faults import Clock, fault_library  # noqa: E402
from harness.fixture import ProcessFixture  # noqa: E402
from harness.link import OFF  # noqa: E402
from harness.link_rows import RowFixture  # noqa: E402
from harness.process import Disk, Network  # noqa: E402
from harness.servers import PostgreSQL  # noqa: E402
from harness.timing import expect, real_seconds, wait_for  # noqa: E402


HOUR, YEAR = 3600, 365 * 86400
LONGEST = 600
ACK_TIMEOUT_SEC = 1
NOT_FOUND = -32003


class Board(RowFixture):
    """All that is around paced-link."""

    def __init__(self, stage, chance):
        super().__init__(stage, stage.start(PostgreSQL()))
        self.chance = chance
        self.clock, self.journal_disk = Clock(stage.directory), stage.directory / "fault"
        self.journal_disk.write_text("fine")
        self.network = self.disk = None
        if os.getuid() == 0:
            self.network, self.disk = stage.start(Network()), stage.start(Disk(stage.directory / "link-state"))
            self.within = self.network.within
        self.start_broker()
        libraries = f"{self.clock.environment['LD_PRELOAD']}:{fault_library('disk')}"
        faults = {"LD_PRELOAD": libraries, "DISK_FAULT": str(self.journal_disk)}
        self.start_daemon(*OFF, **self.clock.environment | faults)
        self.start_counting_collector()
        self.import_activity()
        self.start_link(environment=self.clock.environment, disk=self.disk,
                        Collector={"Sinks": "collector", "AckTimeoutSec": ACK_TIMEOUT_SEC})

    def import_activity(self):
        uuid = str(UUID(int=self.chance.getrandbits(128), version=4))
        self.present.append(self.upload(self.chance.randint(20, LONGEST), uuid=uuid))

    def change_activity(self):
        """Renames an activity, or moves one into the trash or out of it. The newest one stays, to be sent."""
        what = self.chance.random()
        if what < 0.2 and len(self.present) > 3:
            one = self.present.pop(self.chance.randrange(len(self.present) - 1))
            self.daemon.control.result("activities.trash", id=one[0])
            self.trashed.append(one)
        elif what < 0.3 and self.trashed:
            one = self.chance.choice(self.trashed)
            # A year later the trash is empty.
            if self.daemon.control.call("activities.restore", id=one[0]).get("code") != NOT_FOUND:
                self.trashed.remove(one)
                self.present.append(one)
        elif what < 0.6:
            number, _ = self.chance.choice(self.present)
            self.daemon.control.result("activities.edit", id=number, name=f"name {self.chance.random()}")

    @contextlib.contextmanager
    def broker_killed(self):
        self.broker.kill()
        yield
        self.broker.start()

    @contextlib.contextmanager
    def collector_killed(self):
        self.collector.kill()
        yield
        self.collector.start(waits=False)

    @contextlib.contextmanager
    def link_killed(self):
        self.link.kill()
        yield
        self.link.start()

    @contextlib.contextmanager
    def clock_set(self):
        self.clock.set(self.chance.choice([-HOUR, HOUR, YEAR, "unset"]))
        yield

    @contextlib.contextmanager
    def machine_sleeps(self):
        self.clock.sleep(HOUR)
        yield

    @contextlib.contextmanager
    def network_cut(self):
        """Until paced-link has sent the same messages again, once or twice."""
        self.network.cut()
        time.sleep(self.chance.uniform(1, 3) * ACK_TIMEOUT_SEC)
        yield
        self.network.mend()

    @contextlib.contextmanager
    def disk_full(self):
        """Nothing is delivered that cannot be stored."""
        self.disk.fill()
        self.import_activity()
        time.sleep(self.chance.uniform(0, 2))
        yield
        self.disk.free()

    @contextlib.contextmanager
    def journal_full(self):
        self.journal_disk.write_text("ENOSPC")
        # An edit is answered when it is on the disk.
        with contextlib.suppress(TimeoutError):
            ControlClient(self.daemon.control.path, self.chance.uniform(0.1, 1)).call(
                "activities.edit", id=self.present[-1][0], name="late")
        yield
        self.journal_disk.write_text("fine")
        wait_for(lambda: self.daemon.call("status")["recorder"]["state"] == "writing", 60, "a journal that is written")

    def disturbances(self):
        """The three kills, and the others in groups of three; those that the machine allows. Each has its turn."""
        others = [self.clock_set, self.machine_sleeps, self.journal_full]
        if self.network:
            others += [self.network_cut, self.disk_full]
        while True:
            for group in ([self.broker_killed, self.collector_killed, self.link_killed], others):
                self.chance.shuffle(group)
                yield from group

    def disturb(self, disturbance):
        before = self.transactions()
        self.import_activity()
        self.change_activity()
        wait_for(lambda: self.transactions() != before, 120, f"a message before {disturbance.__name__}")
        time.sleep(self.chance.uniform(0, 0.3))
        with disturbance():
            self.check_positions()

    def check_positions(self):
        """paced-link never believes that the database has a row that it has not."""
        command = [*(self.disk.within if self.disk else []), "sqlite3", "-readonly", "-cmd", ".timeout 60000",
                   self.link.state / "link.sqlite", "SELECT activity, next FROM position WHERE sink = 'collector'"]
        lines = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout
        believed = [(activity, int(next)) for activity, next in (line.split("|") for line in lines.splitlines())]
        held = {str(activity): (next, deleted) for activity, next, deleted in
                self.collector.query("SELECT activity, next, deleted FROM activity")}
        for activity, place in believed:
            next, deleted = held.get(activity, (0, False))
            expect(place <= next or deleted, f"paced-link believes that {activity} is there to {place}, not {next}")

    def expect_few_duplicates(self, disturbances, seconds):
        """Each disturbance costs four messages at most, and so does each time without an acknowledgement."""
        sent, stored, _ = self.counts()
        most = int((disturbances + seconds / ACK_TIMEOUT_SEC) * 4 * (LONGEST + 2))
        expect(sent - stored <= most, f"{sent - stored} rows were sent twice; the limit is {most}")


def disturb_often(board, count):
    counts = collections.Counter()
    for disturbance in itertools.islice(board.disturbances(), count):
        board.disturb(disturbance)
        counts[disturbance.__name__] += 1
    wait_for(board.is_complete, 300, "all activities in the database")
    wait_for(lambda: board.difference() is None, 120, "equal rows and summaries")
    return counts


def run(kills, seed):
    begun, stage = real_seconds(), ProcessFixture()
    if os.getuid() != 0:
        print("without root no network is cut, and no disk of paced-link is full")
    try:
        board = Board(stage, random.Random(seed))
        with board.explained():
            counts = disturb_often(board, kills)
        seconds = real_seconds() - begun
        board.expect_few_duplicates(kills, seconds)
        print(f"{kills} kills and other disturbances ({', '.join(f'{count} {name}' for name, count in counts.items())})")
        print(f"{len(board.present)} activities, {board.totals()}, {seconds:.0f} s")
    finally:
        stage.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, help="repeats a run; default a random one")
    options = parser.parse_args()
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", flush=True)
    run(options.kills, seed)


if __name__ == "__main__":
    main()
