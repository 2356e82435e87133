"""Clients of state.sock: many, slow, stopped, invalid; and the examples."""

import json
import os
import random
import select
import signal
import socket
import subprocess
import time

import pytest

from harness import places
from harness.process import ROOT, has
from harness.timing import GUARD, wait_for
from matrix import matrix

OFF = ["--gpsd", "off", "--sensors", "off"]


@pytest.mark.thorough
def test_stopped_reader_does_not_disturb_63_others(stage):
    daemon = stage.paced("--demo")
    subscribers = stage.subscribers(daemon, 63)
    stopped = stage.reader(daemon, classes=["STATE", "EVENT", "HEART", "FIX"])
    stopped.first("STATE", run="active")
    wait_for(lambda: all(len(sequence) > 20 for sequence in subscribers.sequences), 60, "states for all")
    before = daemon.kernel_status("VmRSS")
    stopped.pause()
    # The kernel buffers about ninety lines for it, nine seconds.
    time.sleep(20)
    grown = daemon.kernel_status("VmRSS") - before
    stopped.resume()
    dropped = stopped.first("DROPPED", seconds=60)
    wait_for(lambda: stopped.of("STATE")[-1]["seq"] > subscribers.sequences[0][-1] - 5, 60, "the present state")
    subscribers.end()

    for sequence in subscribers.sequences:
        assert sequence == list(range(sequence[0], sequence[0] + len(sequence)))
    assert all("DROPPED" not in others for others in subscribers.others)
    assert grown < 1024, f"{grown} KiB"
    # Every state that it missed is counted; no event is lost.
    seen = [state["seq"] for state in stopped.of("STATE")]
    missed = seen[-1] - seen[0] + 1 - len(seen)
    assert missed > 50
    assert missed == sum(line["states"] for line in stopped.of("DROPPED"))
    assert sum(line["events"] for line in stopped.of("DROPPED")) == 0
    assert dropped["hearts"] >= 0 and dropped["fixes"] >= 0


@pytest.mark.fast_clock
def test_reader_stalled_for_thirty_seconds_is_closed(stage):
    daemon = stage.paced("--demo")
    with socket.socket(socket.AF_UNIX) as still:
        still.connect(str(daemon.state_socket))
        hangup = select.poll()
        hangup.register(still, select.POLLRDHUP)
        assert hangup.poll(GUARD * 1000), "it is still open"
        text = b"".join(iter(lambda: still.recv(65536), b""))
    assert 50 < text.count(b"\n") < 400
    last = json.loads(text.splitlines()[-1])
    assert last == {"class": "ERROR", "message": "closed: the client has read nothing for 30 s"}


def test_states_can_be_thinned_and_events_replayed(stage):
    daemon = stage.paced(*OFF)
    for _ in range(3):
        assert daemon.call("run.start")["activity"]
        assert daemon.call("run.discard")["id"]
    reader = stage.reader(daemon, classes=["STATE", "EVENT"], interval_ms=1000, since=0)
    answer = reader.first("WATCH")
    assert (answer["classes"], answer["interval_ms"]) == (["STATE", "EVENT"], 1000)
    version = reader.first("VERSION")
    wait_for(lambda: len(reader.of("EVENT")) >= 6, 60, "six events")
    numbers = [event["seq"] for event in reader.of("EVENT")]
    assert numbers == list(range(version["events"]["first"], version["events"]["last"] + 1))
    daemon.call("run.start")
    wait_for(lambda: len([s for s in reader.of("STATE") if s["run"] == "active"]) >= 4, 60, "four seconds")
    active = [state["elapsed_ms"] for state in reader.of("STATE") if state["run"] == "active"]
    assert all(elapsed % 1000 == 0 for elapsed in active)


def test_end_of_the_input_keeps_the_stream_open(stage):
    daemon = stage.paced("--demo")
    ended = subprocess.run(
        f"nc -U {daemon.state_socket} </dev/null | head -n 30", shell=True, capture_output=True, text=True, timeout=60)
    assert len(ended.stdout.splitlines()) == 30


@pytest.mark.parametrize("line", matrix([
    b"nonsense", b"{}", b'{"class":"STATE"}', b'{"class":"WATCH","interval_ms":150}', b'{"class":"WATCH","classes":["BOGUS"]}',
    b'{"class":"WATCH","since":-1}', b"\xff\xfe", b"[" * 1000, b"x" * 5000, b"",
], b"nonsense"), ids=lambda line: repr(line[:30]))
def test_malformed_line_gets_an_error_and_the_stream_continues(stage, line):
    daemon = stage.paced("--demo")
    reader = stage.reader(daemon)
    reader.first("STATE", run="active")
    reader.send(line)
    assert reader.first("ERROR")["message"]
    count = len(reader.of("STATE"))
    wait_for(lambda: len(reader.of("STATE")) > count + 5, 60, "states after it")


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
def test_random_bytes_into_both_sockets_do_not_disturb_the_daemon(stage, seed):
    daemon = stage.paced("--demo")
    reader = stage.reader(daemon)
    reader.first("STATE", run="active")
    numbers = random.Random(seed)
    start = [json.dumps({"class": "WATCH", "interval_ms": 1000}), '{"jsonrpc":"2.0","method":"status","id":1}']
    memory = []
    for round in range(30):
        for name in ("state.sock", "control.sock"):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(daemon.runtime / name))
                for _ in range(20):
                    text = bytearray(numbers.choice(start).encode() + b"\n")
                    for _ in range(numbers.randrange(6)):
                        text[numbers.randrange(len(text))] = numbers.randrange(256)
                    try:
                        client.sendall(text if numbers.randrange(4) else numbers.randbytes(numbers.randrange(5000)))
                    except BrokenPipeError:
                        break
        memory.append(daemon.kernel_status("VmRSS"))
    assert daemon.call("status")["run"] == "active"
    assert memory[-1] - memory[10] < 1024
    lines = [line for line in reader.of("STATE") if line["run"] == "active"]
    assert [line["seq"] for line in lines] == list(range(lines[0]["seq"], lines[0]["seq"] + len(lines)))


EXAMPLES = {"reader.sh": ["sh"], "reader.py": ["python3"], "reader.c": []} | (
    {"reader.js": ["node"]} if has("node") else {})


@pytest.mark.parametrize("name, place", [
    pytest.param(name, place, marks=() if (name, place) == ("reader.py", "own") else pytest.mark.thorough)
    for name in EXAMPLES for place in places.PLACES])
def test_example_finds_the_daemon_and_prints_a_line_for_each_state(stage, name, place):
    daemon = stage.paced("--demo")
    other = stage.reader(daemon)
    other.first("STATE", run="active", seconds=60)
    text, environment = places.at(place, (ROOT / "Examples" / name).read_text(), daemon, stage.directory)
    source = stage.directory / name
    source.write_text(text)
    program = [*EXAMPLES[name], source]
    if name == "reader.c":
        program = [stage.directory / "reader"]
        compiler = next(compiler for compiler in ("cc", "clang") if has(compiler))
        subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-o", program[0], source], check=True)
    reader = stage.keep(Example(program, environment))
    rows = [reader.line().split() for _ in range(40)]
    elapsed = [float(row[0]) for row in rows if row[0] != "-"]
    other.wait("the last row", lambda line: line.get("elapsed_ms", 0) / 1000 >= elapsed[-1], 60)
    states = [line["elapsed_ms"] / 1000 for line in other.of("STATE") if "elapsed_ms" in line]
    assert elapsed == [state for state in states if elapsed[0] <= state <= elapsed[-1]]
    assert all(len(row) == 4 for row in rows)
    assert rows[-1][3].isdigit() and float(rows[-1][1]) >= 0


class Example:
    def __init__(self, command, environment):
        self.process = subprocess.Popen(
            [str(word) for word in command], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
            start_new_session=True, env=environment)

    def line(self):
        return self.process.stdout.readline()

    def end(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
