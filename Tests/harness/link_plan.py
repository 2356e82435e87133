"""paced-link that fetches planned work: services with workouts and courses, and what a test asks of it."""

import base64
import contextlib
import datetime
import json
import sqlite3
import subprocess
import time
import typing

from harness.certificates import DAY, Identity
from harness.faults import fault_library
from harness.link import PacedLink
from harness.link_uploads import UploadFixture
from harness.process import ENVIRONMENT, PACECTL
from harness.timing import GUARD, wait_for
from harness.upload_server import Answer, Service, UploadServer, answer
from harness.upload_services import WebDAV, basic


def course(name, latitude=52.5):
    """A GPX file with a course of a kilometre to the north."""
    points = "".join(f'<trkpt lat="{latitude + number * 1e-3:.3f}" lon="13.4"/>' for number in range(10))
    return (f'<gpx version="1.1" creator="test" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>{name}</name>'
            f"<trkseg>{points}</trkseg></trk></gpx>").encode()


class Event(typing.NamedTuple):
    """A planned workout: of a day, with a file and attachments as (name, address), or without."""

    id: object
    day: datetime.date
    name: str
    file: bytes | str | None
    attachments: list
    fields: dict

    @property
    def described(self):
        """As intervals.icu tells it, with some of the members that paced-link does not need."""
        text = base64.b64encode(self.file).decode() if isinstance(self.file, bytes) else self.file
        attachments = [{"id": f"a{number}", "filename": name, "mimetype": "application/octet-stream", "url": address}
                       for number, (name, address) in enumerate(self.attachments)]
        return {"id": self.id, "calendar_id": 1, "category": "WORKOUT", "start_date_local": f"{self.day}T00:00:00",
                "end_date_local": f"{self.day}T23:59:59", "name": self.name, "type": "Run", "description": None,
                "icu_training_load": 50, "moving_time": 3600, "workout_doc": {"steps": []},
                "workout_filename": None if self.file is None else f"{self.name}.fit", "workout_file_base64": text,
                "attachments": attachments or None} | self.fields


class Planner(Service):
    """intervals.icu with the events of an athlete, and files for them by their paths."""

    name = "intervals"
    kinds = {("GET", "/api/v1/athlete/0/events"): "events", ("GET", "/attachments/"): "attachment"}

    def __init__(self, server):
        super().__init__(server)
        self.secret, self.events_of_days, self.attached = "key-of-intervals", [], {}
        # The day that the board should ask for first.
        self.today = None

    def plan(self, day, name, file=None, *attachments, id=None, **fields):
        """Plans a workout, so many days after today."""
        number = 1000 + len(self.events_of_days) if id is None else id
        self.events_of_days.append(
            Event(number, self.today + datetime.timedelta(day), name, file, list(attachments), fields))
        return number

    def attach(self, name, data, path=None):
        """A file for an event: its name, and its address at this service."""
        path = f"/attachments/{path or len(self.attached)}"
        self.attached[path] = data
        return name, self.server.address + path

    def authorised(self, request):
        if request.kind == "events" and basic(request) != ("API_KEY", self.secret):
            return answer(403, {"status": 403, "error": "Access denied"})

    def events(self, request):
        asked = dict(request.parameters)
        oldest, newest = (datetime.date.fromisoformat(asked.pop(name)) for name in ("oldest", "newest"))
        assert asked == {"category": "WORKOUT", "ext": "fit", "resolve": "true"}, asked
        assert newest == oldest + datetime.timedelta(6), "asks for another time than a week"
        return answer(200, [event.described for event in self.events_of_days if oldest <= event.day <= newest])

    def attachment(self, request):
        return Answer(200, self.attached[request.path], {"Content-Type": "application/octet-stream"})

    def days(self):
        """The first days of all questions."""
        return [request.parameters.get("oldest") for request in self.requests if request.kind == "events"]


class Folder(WebDAV):
    """A real server whose folder has courses, in `place`."""

    kinds = {("PROPFIND", "/remote.php/dav/"): "list", ("GET", "/remote.php/dav/"): "get"}

    def put(self, name, data):
        (self.place / name).write_bytes(data)

    def fetched(self):
        """The names of the files that were fetched."""
        return [request.path.rsplit("/", 1)[1] for request in self.requests if request.kind == "get"]


class PlanFixture(UploadFixture):
    """A daemon, paced-link and services with planned work. The clocks of paced-link are the test's."""

    KINDS = (Planner, Folder)

    def start(self, *names, hour=2.0, folder=None, metered="", environment=None, **keys):
        """All of it, with these services, while it is this hour at the board. `keys` are more keys of each section,
        `environment` is of both programs.
        """
        environment = environment or {}
        self.start_daemon(**environment)
        identity = Identity(self.stage.directory, "services", until=30 * DAY)
        self.services = self.stage.keep(UploadServer(self.KINDS, self.stage.directory, identity).start())
        self.reader = self.stage.reader(self.daemon, classes=["EVENT"])
        zone, self.first_day = self.zone(hour)
        self.services.intervals.today = self.first_day
        self.services.webdav.folder = folder or Folder.folder
        chosen = [getattr(self.services, name) for name in names]
        secrets = {f"plan-{service.name}": service.secret for service in chosen}
        clock = {"LD_PRELOAD": fault_library("clock"), "CLOCK_STEP": str(self.clock), "TZ": zone}
        sections = {f"Plan {service.name}": service.section() | keys for service in chosen}
        sections["Mqtt"] = {"MeteredInterfaces": metered}
        self.link = self.stage.start(PacedLink(
            self.stage.directory, self.daemon, sections, credentials=secrets, **clock | environment))
        return self.services

    def zone(self, hour):
        """TZ of a zone where it is this hour, and the day there."""
        now = time.time()
        seconds = (int(hour * 3600 - now) + 43_200) % 86_400 - 43_200
        sign, distance = "-" if seconds > 0 else "+", abs(seconds)
        day = datetime.datetime.fromtimestamp(now + seconds, datetime.timezone.utc).date()
        return f"TST{sign}{distance // 3600}:{distance // 60 % 60:02}:{distance % 60:02}", day

    def day(self, number):
        return str(self.first_day + datetime.timedelta(number))

    def pacectl(self, *words, status=0, **options):
        """Runs pacectl; returns its output, or the error of a failure. With `status` None it may fail."""
        link = ["--link-dir", self.link.runtime] if words[0] == "plan" else []
        state = self.stage.directory / "state"
        command = [PACECTL, "--runtime-dir", self.daemon.runtime, "--state-dir", state, *link, *words]
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=2 * GUARD,
                                env=ENVIRONMENT, **options)
        assert status in (None, result.returncode), (result.stdout, result.stderr, self.link.log_text()[-2000:])
        return result.stderr if status else result.stdout

    def plans(self):
        return self.link.call("link.plan")["plans"]

    def fetch(self):
        """Fetches all on demand, and returns what is planned then."""
        self.pacectl("plan", "fetch")
        # A busy machine needs more than the minute for which pacectl waits.
        wait_for(lambda: not self.link.call("link.plan")["fetching"], 300, "the end of a fetch")
        return self.plans()

    def states(self):
        """Name and state of all that is planned."""
        return [(one["name"], one["state"]) for one in self.plans()]

    def status(self, name):
        return self.link.sink(f"plan {name}")

    def wait_for_plan(self, name, state, reason="", seconds=60):
        return self.link.wait_for_state(f"plan {name}", state, reason, seconds)

    def wait_for_count(self, service, kind, count):
        wait_for(lambda: service.count(kind) >= count, 60, f"request number {count} for {kind}")
        assert service.count(kind) == count

    def courses(self):
        """The names of the courses of the daemon, the oldest first."""
        found, before = [], {}
        while page := self.daemon.control.result("course.list", **before):
            found, before = found + page, {"before": page[-1]["id"]}
        return [one["name"] for one in reversed(found)]

    def workout(self):
        """The setting of the daemon."""
        return self.daemon.call("settings.get", key="workout")

    def loaded(self):
        """The setting as paced-link has made it, which it may replace."""
        path = f"file:{self.link.state}/link.sqlite?mode=ro"
        with contextlib.closing(sqlite3.connect(path, uri=True, timeout=60)) as store:
            return next((json.loads(text) for text, in store.execute("SELECT loaded FROM plan") if text), None)

    def stored(self):
        """The files of workouts on the board."""
        return sorted(path.name for path in self.link.state.glob("plan-*"))
