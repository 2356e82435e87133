#!/usr/bin/env python3
"""Kills the broker, the collector and paced-link at random while rows flow, and compares the database with the journal.

Before each kill the board gets another activity, and now and then one is renamed, put in the trash or taken out of it.
So there is always something to send. Each kill follows a message that reached the database after the kill before.
"""

import argparse
import contextlib
import pathlib
import random
import re
import sqlite3
import sys
import time
from uuid import UUID

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import psycopg  # noqa: E402

from harness.fixture import ProcessFixture  # noqa: E402
from harness.link import LinkFixture  # noqa: E402
from harness.servers import PostgreSQL  # noqa: E402
from harness.timing import Failed, expect, real_seconds, wait_for  # noqa: E402

# Counts the rows that come, and those of them that the keys do not absorb.
COUNTERS = """
    CREATE SEQUENCE sent;
    CREATE SEQUENCE stored;
    CREATE FUNCTION count_row() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN PERFORM nextval(TG_ARGV[0]); RETURN NEW; END';
    CREATE TRIGGER counted BEFORE INSERT ON sample FOR EACH ROW EXECUTE FUNCTION count_row('sent');
    CREATE TRIGGER kept AFTER INSERT ON sample FOR EACH ROW EXECUTE FUNCTION count_row('stored');
"""


class Board(LinkFixture):
    """All that is around paced-link, and the activities that must be in the database, or must not."""

    def __init__(self, stage, chance):
        super().__init__(stage, stage.start(PostgreSQL()))
        self.chance, self.present, self.trashed = chance, [], []
        self.start_broker()
        self.start_daemon()
        self.collector = self.start_collector()
        with psycopg.connect(self.collector.database) as connection:
            connection.execute(COUNTERS)
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

    def transactions(self):
        """What changes with each message that comes to the database."""
        return self.collector.query(
            "SELECT count(*), coalesce(sum(revision + next), 0), (SELECT last_value FROM sent) FROM activity")

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

    def link_status(self):
        with contextlib.suppress(OSError, Failed):
            return self.link.call("link.status")["sinks"]

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

    def is_complete(self):
        """Whether all rows have come and the trash is empty, by the numbers that the collector has."""
        found = {str(activity): (next == places, deleted) for activity, next, places, deleted in
                 self.collector.query("SELECT activity, next, places, deleted FROM activity")}
        return (all(found.get(name) == (True, False) for _, name in self.present)
                and all(found.get(name, (False, True))[1] for _, name in self.trashed))

    def difference(self):
        """The first difference between the journal and the database; None if they are equal."""
        known = 0
        for number, name in self.present:
            rows = self.rows(number)
            known += len(rows)
            if self.collector.rows(name) != rows:
                return f"the rows of {name} are not those of the journal"
            if self.collector.state(name)["summary"] != self.summary(number):
                return f"the summary of {name} is not that of the journal"
        total, = self.collector.query("SELECT count(*) FROM sample")[0]
        return None if total == known else f"there are {total} rows, and {known} in the journal"

    def totals(self):
        """For the last line: messages, rows, and rows that came twice."""
        messages = len(re.findall("Received PUBLISH from [^\n]*/rows'", self.broker.log_text()))
        sent, stored, total = self.collector.query(
            "SELECT sent.last_value, stored.last_value, (SELECT count(*) FROM sample) FROM sent, stored")[0]
        return f"{messages} messages, {total} rows are equal, {sent - stored} duplicates were absorbed"


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
        try:
            kill_often(board, kills)
        except Failed as failure:
            logs = board.link.log_text()[-3000:] + board.collector.log_text()[-1000:]
            raise Failed(f"{failure}: {board.difference()}; {board.link_status()}\n{logs}") from None
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
