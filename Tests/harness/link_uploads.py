"""paced-link that uploads activities to services of `upload_services`, and what a test asks of it."""

import contextlib
import sqlite3
import subprocess
import threading

from harness.client import ControlClient
from harness.faults import fault_library
from harness.link import LinkFixture, PacedLink
from harness.process import ENVIRONMENT, PACECTL
from harness.timing import GUARD, Failed, expect, real_seconds, wait_for, withheld
from harness.upload_server import UploadServer
from harness.upload_services import KINDS, OAuth

ALL = [kind.name for kind in KINDS]


class Watch:
    """Asks a paced-link for its status again and again, to see that its loop stands still for no service."""

    def __init__(self, link):
        self.link, self.longest, self.over = link, 0.0, threading.Event()
        self.before = withheld()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.over.wait(0.1):
            begun = real_seconds()
            with contextlib.suppress(OSError, Failed):
                self.link.call("link.status")
                self.longest = max(self.longest, real_seconds() - begun)

    def check(self):
        """Expects that each answer took less than a second, besides the time that the kernel withheld the processor."""
        wait_for(lambda: self.longest, 60, "an answer")
        limit = 1 + min(withheld() - self.before, 3)
        expect(self.longest < limit, f"an answer took {self.longest:.1f} s; the limit is {limit:.1f} s")

    def end(self):
        self.over.set()
        self.thread.join()


class UploadFixture(LinkFixture):
    """A daemon, paced-link and services, each when the test starts it. Their clocks jump when the test says so."""

    def __init__(self, stage):
        super().__init__(stage, None)
        self.services = self.reader = None
        self.clock = stage.directory / "step"
        self.step(0)

    def start(self, *names, **options):
        """All of it, with these services; `options` of start_services. Returns the services."""
        self.start_daemon()
        return self.start_services(*names, **options)

    def start_daemon(self, *options, **environment):
        return super().start_daemon(*options, **{"CLOCK_STEP": str(self.clock)} | environment)

    def start_services(self, *names, identity=None, authority=None, logs_in=True, finds=True, program=None, **keys):
        """`finds`: returns after wait_until_found. `program`: arguments of PacedLink. `keys`: more of each section."""
        self.services = self.stage.keep(UploadServer(KINDS, self.stage.directory, identity, authority).start())
        self.services.ahead = self.ahead
        self.reader = self.stage.reader(self.daemon, classes=["EVENT"])
        chosen = [getattr(self.services, name) for name in names or ALL]
        sections = {f"Upload {service.name}": service.section() | keys for service in chosen}
        self.start_uploads(sections, {f"upload-{service.name}": service.secret for service in chosen}, program)
        for service in chosen:
            if logs_in and isinstance(service, OAuth):
                self.log_in(service)
        if finds:
            self.wait_until_found(*(service.name for service in chosen))
        return self.services

    def wait_until_found(self, *names):
        """Waits until paced-link finds what ends from now on by itself, for these services."""
        wait_for(lambda: set(names) <= (self.enabled() or set()), 60, "a first look at the journal")

    def enabled(self):
        """The services for which paced-link knows which activities are older."""
        path = f"file:{self.link.state}/link.sqlite?mode=ro"
        # The file is made after the socket.
        with contextlib.suppress(sqlite3.OperationalError):
            with contextlib.closing(sqlite3.connect(path, uri=True, timeout=60)) as store:
                return {name for name, in store.execute("SELECT name FROM service WHERE enabled IS NOT NULL")}

    def start_uploads(self, sections, credentials, program=None):
        clock = {"LD_PRELOAD": fault_library("clock"), "CLOCK_STEP": str(self.clock)}
        self.link = self.stage.start(PacedLink(
            self.stage.directory, self.daemon, sections, credentials=credentials, **clock | (program or {})))
        return self.link

    # The clock

    def step(self, seconds):
        """Writes how far the clocks are ahead."""
        self.ahead = seconds
        if self.services:
            self.services.ahead = seconds
        other = self.clock.with_suffix(".new")
        other.write_text(str(seconds))
        other.rename(self.clock)

    def skip(self, seconds):
        """Lets the clocks jump; a request wakes paced-link."""
        self.step(self.ahead + seconds)
        self.link.call("link.status")

    # Activities

    def record(self, **options):
        """Records a short run; returns its number and its uuid."""
        self.daemon.control.result("run.start", **{"sport": "run", "indoor": True} | options)
        number = self.daemon.call("status")["activity"]
        self.daemon.control.result("run.stop")

        def ended():
            return [one for one in self.daemon.call("activities.list") if one["id"] == number and not one["open"]]

        return number, wait_for(ended, 60, "the end of the activity")[0]["uuid"]

    # Uploads

    def send(self):
        """Records a run and asks for its upload, which paced-link else finds within some seconds; returns its uuid."""
        _, activity = self.record()
        self.ask(activity)
        return activity

    def uploads(self, activity):
        """The uploads of an activity by the names of the services."""
        return {one["to"]: one for one in self.request("link.uploads", activity=activity)["uploads"]}

    def wait_for_upload(self, activity, to, *states, reason="", seconds=60):
        """The upload when it has one of the states, and a reason with this text."""
        def reached():
            upload = self.uploads(activity)[to]
            return upload if upload["state"] in states and reason in upload.get("reason", "") else None

        try:
            return wait_for(reached, seconds, "")
        except Failed:
            raise Failed(f"{to} is not {states} with '{reason}': {self.uploads(activity)[to]}, "
                         f"{self.status(to)}\n{self.link.log_text()[-2000:]}") from None

    def wait_until_done(self, activity, *names, seconds=60):
        for name in names:
            self.wait_for_upload(activity, name, "done", seconds=seconds)

    def wait_until_settled(self, activity, to):
        """The upload when nothing more happens by itself, or not before a pause."""
        def settled():
            upload = self.uploads(activity)[to]
            if upload["state"] == "waiting":
                return upload if upload.get("next_try_ms", 0) > 1000 or self.status(to)["state"] == "paused" else None
            return upload if upload["state"] not in ("none", "sending") else None

        try:
            return wait_for(settled, 60, "")
        except Failed:
            raise Failed(f"{to} is not settled: {self.uploads(activity)[to]}, {self.status(to)}") from None

    def wait_through(self, activity, to, *states, seconds=60):
        """As wait_for_upload, but over all pauses: the clocks jump to the next try until a state is reached."""
        end = real_seconds() + seconds
        while True:
            upload = self.uploads(activity)[to]
            if upload["state"] in states:
                return upload
            if real_seconds() > end:
                raise Failed(f"{to} is not {states}: {upload}, {self.status(to)}\n{self.link.log_text()[-2000:]}")
            if upload["state"] in ("waiting", "processing") and upload.get("next_try_ms", 0) > 0:
                self.skip(upload["next_try_ms"] / 1000 + 1)

    def request(self, method, **parameters):
        """The result of a request to paced-link; an error is a Failed."""
        return ControlClient(self.link.runtime / "link.sock").result(method, **parameters)

    def ask(self, *activities, to=None):
        """Asks for uploads, as `pacectl upload` does."""
        target = {} if to is None else {"to": to}
        return self.request("link.upload", activities=list(activities), **target)["uploads"]

    def status(self, name):
        return self.link.sink(f"upload {name}")

    def wait_for_service(self, name, state, reason="", seconds=60):
        return self.link.wait_for_state(f"upload {name}", state, reason, seconds)

    def log_in(self, service, name=None):
        """Logs paced-link in at a service, as its user in a browser."""
        name = name or service.name
        address = self.request("link.login", to=name)["url"]
        assert self.request("link.login", to=name, answer=service.browse(address)) == {"done": True}

    def notices(self, key="upload-"):
        """The notices of paced-link about uploads to its user."""
        return [line for line in list(self.reader.lines)
                if line.get("event") == "notice" and line.get("key", "").startswith(key)]

    def pacectl(self, *words, status=0, text=None, **options):
        """Runs pacectl; returns its output, with the error of a failure."""
        link = ["--link-dir", self.link.runtime] if words[0] == "upload" else []
        state = self.stage.directory / "state"
        command = [PACECTL, "--runtime-dir", self.daemon.runtime, "--state-dir", state, *link, *words]
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=GUARD,
                                input=text, env=ENVIRONMENT, **options)
        assert result.returncode == status, result.stdout + result.stderr
        return result.stdout + result.stderr

    def watch(self):
        return self.stage.keep(Watch(self.link))
