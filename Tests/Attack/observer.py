"""A well-behaved client in a separate process, so that an attack does not delay it: it measures the attack's effect.

    observer.py STATE_SOCKET CONTROL_SOCKET PID FILE

It writes each line of state.sock into FILE after its arrival time, requests `status` each quarter of a second, and
samples the memory of the process. It ends with its standard input, and prints the measurements as JSON.

The lateness of a state excludes stalls of the machine. The kernel counts how long the daemon was ready to run while
another process ran (schedstat), and how long the host of a virtual machine ran none of it (steal); stalls of this
process are measured here.
"""

import json
import os
import pathlib
import select
import socket
import sys

# The package that all tests share.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

from harness.timing import boot_ms

TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")
# The sampling interval; a longer turn is a stall.
TURN_MS = 10
ASK_MS = 250
REQUEST = b'{"jsonrpc":"2.0","id":1,"method":"status"}\n'


class Observer:
    def __init__(self, state, control, pid, path):
        self.pid = pid
        self.state, self.control = (socket.socket(socket.AF_UNIX) for _ in range(2))
        self.state.connect(state)
        self.control.connect(control)
        self.file = open(path, "wb")
        self.rest = b""
        self.active = None
        self.turned = boot_ms()
        # Times with the accumulated stalls in ms: of the daemon, of this process, and of the processors together.
        self.withheld = [(self.turned, *self.waited(0.0))]
        self.asked_at, self.looked_at, self.answer = None, 0.0, b""
        self.figures = {
            "late_ms": 0.0,
            "late_raw_ms": 0.0,
            "answer_ms": 0.0,
            "answers": 0,
            "resident_kib": 0,
            "states": 0,
            "is_open": True,
        }

    def waited(self, own):
        with open("/proc/stat") as file:
            stolen = int(file.readline().split()[8]) * TICK_MS
        try:
            with open(f"/proc/{self.pid}/schedstat") as file:
                return int(file.read().split()[1]) / 1e6, own, stolen
        except (OSError, IndexError):
            return self.withheld[-1][1] if hasattr(self, "withheld") else 0.0, own, stolen

    def excused(self, since):
        """The milliseconds of stalls since `since`: the longest of the three kinds, which may be one stall."""
        before = next((it for it in reversed(self.withheld) if it[0] <= since), self.withheld[0])
        return max(last - first for first, last in zip(before[1:], self.withheld[-1][1:]))

    def turn(self):
        watched = [sys.stdin, self.control] + ([self.state] if self.figures["is_open"] else [])
        ready, _, _ = select.select(watched, [], [], TURN_MS / 1000)
        now = boot_ms()
        own = self.withheld[-1][2] + max(now - self.turned - TURN_MS - 5, 0)
        self.turned = now
        self.withheld.append((now, *self.waited(own)))
        del self.withheld[:-6000]
        if self.state in ready:
            self.read(now)
        if self.control in ready:
            self.hear(now)
        if self.asked_at is None and now - self.looked_at >= ASK_MS:
            self.look(now)
        return sys.stdin not in ready or os.read(0, 1)

    def look(self, now):
        self.looked_at = now
        try:
            with open(f"/proc/{self.pid}/status") as file:
                kib = next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))
            self.figures["resident_kib"] = max(self.figures["resident_kib"], kib)
            self.control.sendall(REQUEST)
            self.asked_at = now
        except (OSError, StopIteration):
            pass

    def hear(self, now):
        try:
            self.answer += self.control.recv(65536)
        except OSError:
            return
        if self.answer.endswith(b"\n") and self.asked_at is not None:
            took = now - self.asked_at - self.excused(self.asked_at)
            self.figures["answer_ms"] = max(self.figures["answer_ms"], took)
            self.figures["answers"] += b'"result"' in self.answer
            self.answer, self.asked_at = b"", None

    def read(self, now):
        try:
            text = self.state.recv(65536)
        except OSError:
            text = b""
        if not text:
            self.figures["is_open"] = False
        *lines, self.rest = (self.rest + text).split(b"\n")
        for line in lines:
            self.file.write(b"%.1f " % now + line + b"\n")
            value = json.loads(line)
            if value.get("class") == "STATE":
                self.see(value, now)

    def see(self, state, now):
        """A state of a run is due 100 ms after the previous one."""
        self.figures["states"] += 1
        # The first state may be of any age.
        if state["run"] != "active" or self.figures["states"] == 1:
            self.active = state["boot_ms"] if state["run"] == "active" else None
            return
        due = state["boot_ms"] if self.active is None else self.active + 100
        self.active = state["boot_ms"]
        raw = now - due
        self.figures["late_raw_ms"] = max(self.figures["late_raw_ms"], raw)
        self.figures["late_ms"] = max(self.figures["late_ms"], raw - self.excused(due))

    def end(self):
        self.file.close()
        # An outstanding response counts until now.
        if self.asked_at is not None:
            late = boot_ms() - self.asked_at - self.excused(self.asked_at)
            self.figures["answer_ms"] = max(self.figures["answer_ms"], late)
        print(json.dumps(self.figures), flush=True)


if __name__ == "__main__":
    observer = Observer(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4])
    observer.state.sendall(b'{"class":"WATCH","classes":["STATE","EVENT","HEART","FIX"],"interval_ms":100}\n')
    print("ready", flush=True)
    while observer.turn():
        pass
    observer.end()
