#!/usr/bin/env python3
"""Measures paced-link with TLS: the time of a backlog, its processor time and memory, and the delay of live messages.

    measure.py [--rows N] [--seconds N]

The delay is from the arrival of a STATE line at a client of state.sock to that of the message at a subscriber.
"""

import argparse
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from harness.certificates import Identity  # noqa: E402
from harness.fixture import ProcessFixture  # noqa: E402
from harness.link import LinkFixture  # noqa: E402
from harness.servers import PostgreSQL  # noqa: E402
from harness.timing import boot_ms, real_seconds, wait_for  # noqa: E402

ACTIVITY = 10_000


def processor_seconds(pid):
    """User and system time of a process."""
    words = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / 100


def memory(pid):
    """Resident and own (dirty) memory in MiB."""
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    found = {line.split(":")[0]: int(line.split()[1]) / 1024 for line in text.splitlines()[1:]}
    return found["Rss"], found["Private_Dirty"]


def measure(link, rows, seconds):
    link.start_broker(identity=Identity(link.stage.directory, "broker"))
    link.start_daemon()
    collector = link.start_collector()
    numbers = [link.upload(ACTIVITY)[0] for _ in range(rows // ACTIVITY)]
    expected = sum(len(link.rows(number)) for number in numbers)
    begun = real_seconds()
    link.start_link(Collector={"Sinks": "collector"})
    pid = link.link.pid
    wait_for(lambda: collector.query("SELECT count(*) FROM sample")[0][0] == expected, 300, "all rows")
    took = real_seconds() - begun
    print(f"backlog: {expected} rows in {took:.1f} s, {processor_seconds(pid):.2f} s of the processor", flush=True)
    before = processor_seconds(pid)
    time.sleep(seconds)
    used = processor_seconds(pid) - before
    resident, own = memory(pid)
    print(f"idle with TLS: {used / seconds:.3%} of a core over {seconds} s, {resident:.1f} MiB, {own:.1f} MiB of its own")
    watcher = link.listen("+/state")
    reader = link.stage.reader(link.daemon, classes=["STATE"], interval_ms=1000)
    link.daemon.control.result("run.start", sport="run", indoor=True)
    arrivals, end = {}, real_seconds() + seconds
    count = 0
    while real_seconds() < end:
        lines = reader.lines
        for line in lines[count:]:
            if line.get("class") == "STATE" and line.get("time"):
                arrivals.setdefault(line["time"], boot_ms())
        count = len(lines)
        time.sleep(0.002)
    delays = []
    for message in watcher.messages:
        moment = json.loads(message.payload).get("time")
        if moment in arrivals:
            delays.append(message.at - arrivals[moment])
    delays.sort()
    if delays:
        print(f"live: {len(delays)} messages, median {delays[len(delays) // 2]:.1f} ms, "
              f"p99 {delays[min(int(len(delays) * 0.99), len(delays) - 1)]:.1f} ms behind the socket")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--seconds", type=int, default=60)
    options = parser.parse_args()
    stage = ProcessFixture()
    try:
        measure(LinkFixture(stage, stage.start(PostgreSQL())), options.rows, options.seconds)
    finally:
        stage.end()


if __name__ == "__main__":
    main()
