"""Power cuts of a board that sends the rows of its run while it records them.

The clocks of the board are ten times as fast: it syncs twice a real second, and its run has so many rows that a batch
of 100 is full after two. Heart beats have random intervals, so no row of a run is recorded twice alike.
"""

import collections
import contextlib
import re
import socket
import threading

from harness.client import Door, connect
from harness.link_rows import RowFixture
from harness.power import Power, journal_query
from harness.timing import expect, real_seconds, wait_for

# In seconds of the fast clock.
SYNC_INTERVAL = 5
ACK_TIMEOUT = 10


class PowerFixture(RowFixture):
    """The board loses its power; the broker and the collector are other machines, and go on."""

    def __init__(self, stage, database, chance, sync_seconds=SYNC_INTERVAL, lies=False):
        """`lies`: paced-link is told that all is synced, and a cut takes all that is not."""
        super().__init__(stage, database)
        self.chance, self.power = chance, Power(stage.directory, chance, **{"written": 0} if lies else {})
        self.cuts = self.lost = 0
        self.door = None
        self.start_broker()
        self.start_daemon(sync_seconds=sync_seconds, **self.power.environment)
        self.start_counting_collector()
        self.begin_run()
        self.sent = self.rows_sent()
        paced = stage.keep(SyncLie(stage.directory, self.daemon)) if lies else None
        self.start_link(
            paced=paced, environment=self.power.environment,
            Collector={"Sinks": "collector", "AckTimeoutSec": ACK_TIMEOUT})

    # The run

    def begin_run(self):
        """Goes on with a run, or begins one if there is none."""
        if self.daemon.call("status")["run"] == "idle":
            self.daemon.control.result("run.start", sport="run", indoor=True)
        self.door = Door(self.daemon)
        self.door.announce("strap", "heart-rate")

    def end_run(self):
        self.door.end()
        self.daemon.control.result("run.stop")

    def run_until(self, condition, what, seconds=120):
        """Measures a beat about 40 times a second until a condition is met."""
        def beat():
            interval = self.chance.randint(300, 1500)
            self.door.measure("strap", "heart-rate", bpm=60_000 // interval, rr_ms=[interval])
            return condition()

        wait_for(beat, seconds, what)

    def rows_sent(self):
        return self.collector.query("SELECT last_value, is_called FROM sent")

    # Cuts

    def cut(self):
        """Cuts the power, mostly soon after a message of rows, and starts the board again."""
        if self.chance.random() < 0.1:
            self.end_run()
            self.begin_run()
        # The first batch follows the start of paced-link, the second one three seconds later.
        for _ in range(self.chance.choice([0, 1, 1, 1, 1, 2])):
            self.run_until(lambda: self.rows_sent() != self.sent, "a batch before the cut")
            self.sent = self.rows_sent()
        end = real_seconds() + self.chance.uniform(0, 0.7)
        self.run_until(lambda: real_seconds() >= end, "a moment")
        self.cut_power()
        foreign = self.rows_ahead()
        expect(not foreign, f"after cut {self.cuts} the collector has rows that the journal has lost: {foreign}")
        self.daemon.start()
        self.begin_run()
        self.sent = self.rows_sent()
        self.link.start()

    def cut_power(self):
        self.door.end()
        self.daemon.kill()
        self.link.kill()
        written = self.places()
        self.power.cut(self.state, self.link.state)
        left = self.places()
        self.lost += sum(count - left[name] for name, count in written.items())
        self.cuts += 1

    @property
    def state(self):
        return self.stage.directory / "state"

    def places(self):
        """The number of rows of each activity in the journal."""
        return collections.Counter(dict(journal_query(
            self.state, "SELECT uuid, (SELECT count(*) FROM record WHERE key >> 32 = activity.id) FROM activity")))

    def rows_ahead(self):
        """The activities of which the collector has a row behind the journal's last one."""
        places = self.places()
        last = self.collector.query("SELECT activity::text, max(n) FROM sample GROUP BY 1")
        return {name: (n, places[name]) for name, n in last if n >= places[name]}

    # The end

    def cut_often(self, cuts):
        for _ in range(cuts):
            self.cut()
        self.end_run()
        self.know_activities()
        wait_for(self.is_complete, 300, "all activities in the database")
        wait_for(lambda: self.difference() is None, 120, "equal rows and summaries")
        expect(self.lost or cuts < 10, "no cut lost a row: it was none")

    def totals(self):
        return (f"{self.cuts} cuts, {len(self.present)} activities, the journal lost {self.lost} rows, "
                f"{super().totals()}")

    def know_activities(self):
        """Waits for the end of the last activity, and takes all."""
        self.present = journal_query(self.state, "SELECT id, uuid FROM activity")
        last = max(self.present)[0]
        wait_for(lambda: not self.summary(last)["open"], 60, "the end of the run")

    def changed_rows(self):
        """How many rows of the collector the journal has not, or otherwise."""
        count = 0
        for number, name in self.present:
            rows = self.rows(number)
            count += sum(rows.get(n) != row for n, row in self.collector.rows(name).items())
        return count


class SyncLie:
    """The sockets of a daemon, of which state.sock says that all is synced."""

    def __init__(self, directory, daemon):
        self.runtime, self.daemon = directory / "lie", daemon
        self.runtime.mkdir()
        (self.runtime / "control.sock").symlink_to(daemon.runtime / "control.sock")
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.runtime / "state.sock"))
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                try:
                    server = connect(self.daemon.state_socket, seconds=0)
                except OSError:
                    client.close()
                    continue
                for ends in ((client, server, lambda line: line), (server, client, synced)):
                    threading.Thread(target=pass_on, args=ends, daemon=True).start()

    def end(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def synced(line):
    return re.sub(rb'"sync_age_ms":\d+', b'"sync_age_ms":0', line)


def pass_on(source, target, changed):
    """Passes lines on until one of two connections ends, and ends the other."""
    with contextlib.suppress(OSError), source, target:
        for line in source.makefile("rb"):
            target.sendall(changed(line))
        target.shutdown(socket.SHUT_RDWR)
