#!/usr/bin/env python3
"""Kills the broker, the collector and paced-link at random while rows flow, and compares the database with the journal.

Before each kill the board gets another activity, and now and then one is renamed, put in the trash or taken out of it.
So there is always something to send. Each kill follows a message that reached the database after the kill before.
"""

import argparse
import contextlib
import pathlib
import random
import sqlite3
import sys
import time
from uuid import UUID

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from harness.fixture import ProcessFixture  # noqa: E402
from harness.link_rows import RowFixture  # noqa: E402
from harness.servers import PostgreSQL  # noqa: E402
from harness.timing import expect, real_seconds, wait_for  # noqa: E402


class Board(RowFixture):
    """All that is around paced-link."""

    def __init__(self, stage, chance):
        super().__init__(stage, stage.start(PostgreSQL()))
        self.chance = chance
        self.start_broker()
        self.start_daemon()
        self.start_counting_collector()
        self.import_activity()
        self.start_link(Collector={"Sinks": "collector", "AckTimeoutSec": 1})
        self.processes = {"broker": self.broker, "collector": self.collector, "link": self.link}

    def import_activity(self):
        uuid = str(UUID(int=self.chance.getrandbits(128), version=4))
        self.present.append(self.upload(self.chance.randint(20, 600), uuid=uuid))

    def change_activity(self):
        """Renames an activity, or moves one into the trash or out of it. The newest one stays, to be sent."""
        what = self.chance.random()
        if what < 0.2 and len(self.present) > 3:
            one = self.present.pop(self.chance.randrange(len(self.present) - 1))
            self.daemon.control.result("activities.trash", id=one[0])
            self.trashed.append(one)
        elif what < 0.3 and self.trashed:
            one = self.trashed.pop(self.chance.randrange(len(self.trashed)))
            self.daemon.control.result("activities.restore", id=one[0])
            self.present.append(one)
        elif what < 0.6:
            number, _ = self.chance.choice(self.present)
            self.daemon.control.result("activities.edit", id=number, name=f"name {self.chance.random()}")

    def kill(self, name):
        before = self.transactions()
        self.import_activity()
        self.change_activity()
        wait_for(lambda: self.transactions() != before, 120, f"a message before the kill of {name}")
        time.sleep(self.chance.uniform(0, 0.3))
        process = self.processes[name]
        process.kill()
        self.check_positions()
        if name == "collector":
            process.start(waits=False)
        else:
            process.start()

    def check_positions(self):
        """paced-link never believes that the database has a row that it has not."""
        path = f"file:{self.link.state}/link.sqlite?mode=ro"
        with contextlib.closing(sqlite3.connect(path, uri=True, timeout=60)) as link:
            believed = link.execute("SELECT activity, next FROM position WHERE sink = 'collector'").fetchall()
        held = {str(activity): (next, deleted) for activity, next, deleted in
                self.collector.query("SELECT activity, next, deleted FROM activity")}
        for activity, place in believed:
            next, deleted = held.get(activity, (0, False))
            expect(place <= next or deleted, f"paced-link believes that {activity} is there to {place}, not {next}")


def kill_often(board, kills):
    names = list(board.processes)
    for kill in range(kills):
        # Each is killed once in three: paced-link takes three short connections for those of a copied card.
        if kill % len(names) == 0:
            board.chance.shuffle(names)
        board.kill(names[kill % len(names)])
    wait_for(board.is_complete, 300, "all activities in the database")
    wait_for(lambda: board.difference() is None, 120, "equal rows and summaries")


def run(kills, seed):
    begun, stage = real_seconds(), ProcessFixture()
    try:
        board = Board(stage, random.Random(seed))
        with board.explained():
            kill_often(board, kills)
        print(f"{kills} kills, {len(board.present)} activities, {board.totals()}, {real_seconds() - begun:.0f} s")
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
