"""The environment of one attack: its directory, the programs under attack, and their measurements."""

import contextlib
import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time

from harness.fixture import ProcessFixture
from harness.process import ENVIRONMENT, PACECTL, ROOT, ManagedProcess, Paced
from harness.timing import Failed, Late, expect, wait_for
from hostile import HostileGpsd, HostileStrap

# The default bounds of each attack (docs/reliability.md): milliseconds, and MiB after and during
# the attack. An observer that receives thousands of states a second may see them conflated.
BOUNDS = {"late": 50, "answer": 1000, "growth": 8, "peak": 24, "conflates": False}

# The maximum speed of each sport in metres a second, and the maximum delay of a late report.
FASTEST = {"walk": 6, "hike": 6, "run": 12.5, "ride": 35, "other": 35}
DELIVERY_S = 10


def prefix_of(namespace, files):
    """The prefix of the daemon's command: it execs the daemon, which keeps the process id."""
    words = [] if namespace is None else namespace.enter
    return words if files is None else ["prlimit", f"--nofile={files}:{files}", *words]


class Attacked(Paced):
    """A daemon under attack, in directories created by the attacks."""

    def __init__(self, ground, directory, *options, config="", namespace=None, files=None, **environment):
        self.ground = ground
        self.directory = ground.check(directory)
        self.state = self.directory / "state"
        # Otherwise it would read /etc/paced/paced.conf, and export to the directory in that file.
        (self.directory / "paced.conf").write_text(config)
        super().__init__(
            self.directory,
            "--config",
            self.directory / "paced.conf",
            *options,
            prefix=prefix_of(namespace, files),
            **environment,
        )

    def wait_until_ready(self):
        super().wait_until_ready()
        self.ground.started(self.pid)
        try:
            self.connect("control.sock").close()
        except OSError as error:
            raise Failed(f"the daemon ended after its start ({error}): {self.log_text()[-300:]}") from None

    def connect(self, name, timeout=5.0):
        """A connection to one of its sockets."""
        return self.ground.connect(self.runtime / name, timeout)

    def ask(self, *lines):
        try:
            return super().ask(*lines)
        except TimeoutError:
            raise Failed("control.sock has no answer within 5 s") from None

    def status(self):
        return self.call("status")

    def retained_events(self):
        """The retained events that a subscriber to all receives."""
        with self.connect("state.sock") as client, client.makefile("rb") as stream:
            client.sendall(b'{"class":"WATCH","classes":["EVENT"],"since":0}\n')
            version = json.loads(stream.readline())
            events = []
            while not events or events[-1]["seq"] < version["events"]["last"]:
                line = json.loads(stream.readline())
                if line["class"] == "EVENT":
                    events.append(line)
            return events


class Namespace(ManagedProcess):
    """A private mount namespace with a small disk (tmpfs) in the place of a directory, for successive daemons."""

    def __init__(self, directory, size="16m"):
        self.directory = directory
        private = ["unshare", "-m"] if os.getuid() == 0 else ["unshare", "-Urm"]
        script = f'mount -t tmpfs -o size={size},mode=0750 attack "$1" && echo ready && exec sleep 600'
        super().__init__(
            [*private, "sh", "-c", script, "sh", directory],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def wait_until_ready(self):
        first = self.process.stdout.readline()
        expect(first == "ready\n", f"a private mount namespace needs root, or user namespaces: {first.strip()}")
        user = [] if os.getuid() == 0 else ["-U", "--preserve-credentials"]
        self.enter = ["nsenter", "-t", str(self.pid), *user, "-m", "--"]

    def run(self, *words):
        subprocess.run([*self.enter, *words], check=True, timeout=10, capture_output=True)

    def remount(self, options):
        # With a source, mount does not repeat the present owner, whom a namespace of a user does not know.
        self.run("mount", "-o", "remount," + options, "attack", self.directory)

    def fill(self):
        """Fills the disk."""
        self.run("sh", "-c", 'dd if=/dev/zero of="$1/filler" bs=4096 2>/dev/null || true', "sh", self.directory)

    def free(self):
        self.run("rm", self.directory / "filler")


class Observer(ManagedProcess):
    """A well-behaved client, in a separate process."""

    def __init__(self, daemon, path):
        self.path = path
        super().__init__(
            [
                sys.executable,
                "-B",
                ROOT / "Tests/Attack/observer.py",
                daemon.state_socket,
                daemon.runtime / "control.sock",
                daemon.pid,
                path,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def wait_until_ready(self):
        expect(self.process.stdout.readline() == "ready\n", "the observer cannot connect")

    def finish(self):
        """Its measurements."""
        self.process.stdin.close()
        figures = json.loads(self.process.stdout.readline())
        self.process.wait(10)
        lines = []
        for text in self.path.read_bytes().splitlines():
            at, line = text.split(b" ", 1)
            lines.append((float(at), json.loads(line)))
        return Observation(figures, lines)


class Observation:
    def __init__(self, figures, lines):
        self.figures = figures
        # Each with its arrival time, in ms of the boot clock.
        self.lines = lines

    def of(self, name):
        return [line for _, line in self.lines if line["class"] == name]

    def missed_states(self):
        """The states of a run. A state of an idle daemon soon after a change is left out."""
        states = self.of("STATE")
        return sum(
            after["seq"] - before["seq"] - 1
            for before, after in zip(states, states[1:])
            if before["run"] == after["run"] == "active"
        )

    def excess(self, sport, error=5.0):
        """Metres by which the worst interval exceeds its distance bound; at most 0 if none does."""
        states = [state for state in self.of("STATE") if "distance_m" in state]
        worst, lowest = -1e9, 1e12
        for state in states:
            level = state["distance_m"] - FASTEST[sport] * state["boot_ms"] / 1000
            lowest = min(lowest, level)
            worst = max(worst, level - lowest - FASTEST[sport] * DELIVERY_S - 2 * error)
        return worst

    def events_a_second(self):
        """The maximum number of EVENTs in a second."""
        moments = [at for at, line in self.lines if line["class"] == "EVENT"]
        return max(
            (sum(1 for other in moments[i:] if other < at + 1000) for i, at in enumerate(moments[:3000])), default=0
        )


class Arena(ProcessFixture):
    def __init__(self, ground, name, seed, schema):
        self.ground, self.name, self.schema = ground, name, schema
        self.directory = ground.directory(f"{len(list(ground.root.iterdir())):02}")
        self.random = random.Random(f"{seed} {name}")
        self.running = []
        # The measurements for the attack's line, and its current case.
        self.notes, self.case = [], ""

    def note(self, text):
        self.notes.append(text)

    def daemon(self, *options, directory=None, **settings):
        return self.start(Attacked(self.ground, directory or self.directory, *options, **settings))

    def gpsd(self, **settings):
        return self.keep(HostileGpsd(**settings))

    def strap(self, *arguments, **settings):
        return self.keep(HostileStrap(self.ground.check(self.directory / "strap"), *arguments, **settings))

    def namespace(self, directory, size="16m"):
        directory.mkdir(mode=0o750, parents=True, exist_ok=True)
        return self.start(Namespace(self.ground.check(directory), size))

    def thread(self, body, *arguments):
        """Runs a function in a thread that ends with the attack; what it waits for has a time limit."""
        thread = threading.Thread(target=body, args=arguments, daemon=True)
        thread.start()
        return thread

    def pacectl(self, state, *words, **options):
        options = {"capture_output": True, "timeout": 20} | options
        return subprocess.run(
            [PACECTL, "--runtime-dir", self.directory / "none", "--state-dir", self.ground.check(state), *words],
            env=ENVIRONMENT,
            **options,
        )

    @contextlib.contextmanager
    def holds(self, *daemons, **bounds):
        """Measures daemons while the body attacks them, and raises Failed if an invariant is broken.

        Yields a list that has the Observation of each at the end.
        """
        seen, observers, before = [], [], []
        for daemon in daemons:
            # The journal's thread opens it after the start, and its connections when they are first needed.
            with contextlib.suppress(AssertionError):
                wait_for(lambda: (daemon.state / "journal.sqlite-wal").exists(), 2, "a journal that is open")
            daemon.call("activities.list")
            observers.append(self.start(Observer(daemon, self.directory / f"seen-{daemon.pid}")))
        time.sleep(0.5)
        for daemon in daemons:
            before.append((daemon.descriptors(), daemon.kernel_status("VmRSS")))
        yield seen
        for daemon, (descriptors, _) in zip(daemons, before):
            expect(daemon.process.poll() is None, f"the daemon ended with {daemon.process.poll()}")
            with contextlib.suppress(AssertionError):
                wait_for(lambda: daemon.descriptors() <= descriptors, 10, "descriptors closed")
        time.sleep(0.5)
        after = [(daemon.descriptors(), daemon.kernel_status("VmRSS"), daemon.status()) for daemon in daemons]
        # The lines are evaluated after the measurement.
        for observer in observers:
            seen.append(observer.finish())
        for start, end, observation in zip(before, after, seen):
            observation.figures |= {
                "before_kib": start[1],
                "grown_mib": (end[1] - start[1]) / 1024,
                "highest_mib": (observation.figures["resident_kib"] - start[1]) / 1024,
                "more_descriptors": end[0] - start[0],
            }
        # The worst of several daemons.
        worst = {key: max(observation.figures[key] for observation in seen) for key in seen[0].figures}
        self.note(
            f"late {worst['late_ms']:.0f} ms ({worst['late_raw_ms']:.0f} with the time that the machine withheld), "
            f"answers within {worst['answer_ms']:.0f} ms, memory {worst['before_kib'] / 1024:.1f} MiB "
            f"{worst['grown_mib']:+.1f}, at most {worst['highest_mib']:+.1f}, descriptors {worst['more_descriptors']:+}"
        )
        for (_, _, status), observation in zip(after, seen):
            expect("run" in status, "status has no answer")
            self.judge(observation, **BOUNDS | bounds)

    def judge(self, observation, late, answer, growth, peak, conflates):
        figures = observation.figures
        expect(figures["is_open"], "the daemon closed the connection of a client that behaves")
        expect(figures["states"] >= 2 and figures["answers"] >= 2, f"a client that behaves got too little: {figures}")
        expect(figures["more_descriptors"] <= 0, f"{figures['more_descriptors']} descriptors stay open")
        expect(figures["grown_mib"] <= growth, f"memory has grown by {figures['grown_mib']:.1f} MiB (bound: {growth})")
        expect(figures["highest_mib"] <= peak, f"memory grew by up to {figures['highest_mib']:.1f} MiB (bound: {peak})")
        missed = [line for line in observation.of("DROPPED") if not conflates or line["events"]]
        expect(not missed, f"a client that behaves missed lines: {missed[:1]}")
        expect(conflates or observation.missed_states() == 0, "a client that behaves missed a STATE")
        self.check_lines(observation)
        # The times are judged last: a failure of only them is a Late, after which the attack is repeated.
        for what, took, bound in (
            ("a state was late by", figures["late_ms"], late),
            ("an answer took", figures["answer_ms"], answer),
        ):
            if took > bound:
                raise Late(f"{what} {took:.0f} ms (bound: {bound})")

    def check_lines(self, observation):
        """Validates a sample of the lines, including the last ones, against the schema."""
        lines = [line for _, line in observation.lines]
        for line in self.random.sample(lines, min(len(lines), 60)) + lines[-10:]:
            wrong = [error.message for error in self.schema.iter_errors(line)]
            expect(not wrong, f"a line is not of the schema: {wrong[:1]} {json.dumps(line)[:200]}")

    def end(self):
        for program in reversed(self.running):
            program.end()

    def log(self):
        """The end of the last daemon's log, for a failure."""
        logs = sorted(self.directory.rglob("log"), key=lambda path: path.stat().st_mtime)
        return logs[-1].read_text(errors="replace").splitlines()[-12:] if logs else []

    def remove(self):
        shutil.rmtree(self.directory, ignore_errors=True)
