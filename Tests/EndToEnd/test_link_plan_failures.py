"""Services with planned work that fail or send what nobody should: paced-link says so, and keeps what it has."""

import os
import subprocess

import pytest

from harness.link import PACED_LINK
from harness.link_plan import course
from harness.process import ENVIRONMENT, ROOT
from harness.timing import GUARD, expect_within, wait_for
from harness.upload_server import FAILURES, HTML, Failure, answer
from harness.workouts import fit, lasting, repeat, time

pytestmark = pytest.mark.thorough
# They end a request by its time only.
SLOW = ("drip, stored", "hang, stored")
ONCE = [name for name in FAILURES if name not in SLOW]
# A connection that was kept and is closed is no failure: the request is sent again over another one.
ANSWERED = [name for name in ONCE if not name.startswith("closed")]


@pytest.mark.parametrize("failure", ANSWERED)
@pytest.mark.parametrize("kind", ["events", "list"])
def test_failure_of_a_list_is_told_and_keeps_the_plan(plan, kind, failure):
    services = plan.start("intervals", "webdav")
    services.intervals.plan(0, "Of today", lasting(45))
    services.webdav.put("a.gpx", course("a"))
    before = plan.fetch()
    service = services.intervals if kind == "events" else services.webdav
    service.fail(failure, kind)
    said = plan.pacectl("plan", "fetch", status=1)
    status = plan.status(service.name)
    assert status["state"] in ("waiting", "paused") and "127.0.0.1" in status["reason"], status
    assert f"plan {service.name}: {status['reason']}" in said
    assert (status["state"] == "paused") == (failure in ("401", "403"))
    assert plan.plans() == before and plan.status("webdav" if kind == "events" else "intervals")["state"] == "connected"
    if "Retry-After" in failure:
        # Also who asks now does not disturb the pause of two minutes.
        count = service.count(kind)
        plan.pacectl("plan", "fetch", status=1)
        assert service.count(kind) == count
        plan.skip(121)
    plan.fetch()
    assert plan.status(service.name)["state"] == "connected" and "reason" not in plan.status(service.name)
    assert plan.plans() == before


@pytest.mark.parametrize("failure", ONCE)
@pytest.mark.parametrize("kind", ["attachment", "get"])
def test_course_that_could_not_be_fetched_is_fetched_later(plan, kind, failure):
    services = plan.start("intervals", "webdav")
    intervals, webdav = services.intervals, services.webdav
    for number, name in enumerate("ab"):
        intervals.plan(number, name, None, intervals.attach(f"i{name}.gpx", course(f"i{name}", 40 + number)))
        webdav.put(f"w{name}.gpx", course(f"w{name}", 50 + number))
    service = intervals if kind == "attachment" else webdav
    service.fail(failure, kind)
    plan.pacectl("plan", "fetch")
    plan.fetch()
    plan.fetch()
    assert sorted(plan.courses()) == ["ia", "ib", "wa", "wb"]
    assert {one["state"] for one in plan.plans()} == {"imported"}
    assert plan.status(service.name)["state"] == "connected"


@pytest.mark.parametrize("kind", ["events", "attachment", "list", "get"])
@pytest.mark.parametrize("failure", SLOW)
def test_slow_answer_blocks_nobody_and_is_given_up(plan, kind, failure):
    services = plan.start("intervals", "webdav", TimeoutSec=5)
    intervals = services.intervals
    intervals.plan(0, "a", None, intervals.attach("a.gpx", course("a", 40)))
    services.webdav.put("b.gpx", course("b"))
    service = intervals if kind in ("events", "attachment") else services.webdav
    service.fail(failure, kind)

    def fetch():
        watch = plan.watch()
        plan.pacectl("plan", "fetch", status=None)
        watch.end()
        return None, watch.longest

    expect_within(1, fetch, "an answer of paced-link")
    plan.fetch()
    assert sorted(plan.courses()) == ["a", "b"] and plan.status(service.name)["state"] == "connected"


def test_service_that_is_off_or_has_a_wrong_certificate_is_tried_again(plan):
    services = plan.start("intervals")
    services.intervals.plan(0, "Of today", lasting(45))
    services.stop()
    plan.pacectl("plan", "fetch", status=1)
    assert plan.wait_for_plan("intervals", "waiting", "127.0.0.1")["next_try_ms"] > 500_000
    services.start()
    assert [one["state"] for one in plan.fetch()] == ["stored"]


def test_killed_fetch_is_done_again(plan):
    services = plan.start("intervals", "webdav")
    services.intervals.plan(0, "Of today", lasting(45))
    for number in range(3):
        services.webdav.put(f"{number}.gpx", course(f"c{number}", 50 + number))
    services.webdav.fail("hang, stored", "get")
    plan.link.call("link.fetch")
    wait_for(lambda: services.webdav.count("get"), 60, "a request for a file")
    plan.link.kill()
    # As if it were killed while pacectl reads the file.
    (plan.link.state / "course").mkdir(exist_ok=True)
    (plan.link.state / "course/left.gpx").write_bytes(course("left"))
    plan.link.start()
    plan.fetch()
    assert sorted(plan.courses()) == ["c0", "c1", "c2"]
    assert len(plan.stored()) == 1 and list(plan.link.state.rglob("*.gpx")) == []


# Hostile answers

BROKEN = {
    "no FIT": b"10 min", "empty": b"", "no base64": "äöü*", "cut base64": "AAA", "cut": lasting(1)[:-5],
    "an activity": (ROOT / "Tests/Data/fit/run-fenix2-9km.fit").read_bytes(), "no steps": fit([]),
    "too many steps": fit([time(60), repeat(0, 4_000_000_000)]),
}


def test_broken_workout_is_named_and_the_others_are_usable(plan):
    intervals = plan.start("intervals").intervals
    for name, data in BROKEN.items():
        intervals.plan(0, name, data)
    intervals.plan(1, "Good", lasting(45))
    plan.fetch()
    for one in plan.plans():
        if one["name"] == "Good":
            plan.pacectl("plan", "load", one["plan"])
            assert plan.workout() == ["2700 s"]
        else:
            # Named at once, or when somebody wants it.
            assert one["state"] == "failed" or plan.pacectl("plan", "load", one["plan"], status=1), one
            assert plan.workout() == []


def test_largest_workout_can_be_loaded(plan):
    """A hundred steps with names of 50 characters, and one step more."""
    intervals = plan.start("intervals").intervals
    for count in (100, 101):
        steps = [time(60 + number, wkt_step_name=f"{number:050}") for number in range(count)]
        intervals.plan(0, f"{count} steps", fit(steps))
    plan.fetch()
    plan.pacectl("plan", "load", 1)
    assert len(plan.workout()) == 100
    assert "100 steps" in plan.pacectl("plan", "load", 2, status=1)


NAMES = ["../../../../tmp/evil", "a/b", "..", ".", "", "x" * 300, "a\u0000b", "a\nb", "\x1b[2J", "\u202egpj", "-rf",
         "~", "$(id)", "Ü"]
EVENTS = {
    "object": {}, "text": "events", "null": None, "of numbers": [1, None, True, "x", [], {}, 1e300],
    "deep": b"[" * 100_000, "cut": b'[{"id":1', "no text": b"\xff\xfe\x00", "html": HTML, "empty": b"",
    "bad members": [{"id": 1}, {"id": 2, "name": None, "start_date_local": 5, "workout_file_base64": []},
                    {"id": 3, "start_date_local": "yesterday", "workout_file_base64": "AAAA", "attachments": "none"},
                    {"id": 4, "start_date_local": "2026-99-99T00:00:00", "attachments": [1, None, {}, {"url": 5}]}],
}


@pytest.mark.parametrize("name", EVENTS)
def test_other_json_than_events_changes_nothing(plan, name):
    intervals = plan.start("intervals").intervals
    intervals.plan(0, "Good", lasting(45))
    before = plan.fetch()
    intervals.fail(Failure(answer(200, EVENTS[name])), "events")
    plan.pacectl("plan", "fetch", status=None)
    assert plan.plans() in ([], before) or name == "bad members"
    plan.fetch()
    assert plan.plans() == before


def files_of(directory):
    return {str(path) for path in directory.rglob("*")}


def test_names_of_a_service_lead_nowhere_else(plan):
    services = plan.start("intervals", "webdav")
    intervals = services.intervals
    plan.fetch()
    before = files_of(plan.stage.directory)
    for number, name in enumerate(NAMES):
        intervals.plan(0, name, lasting(number + 1), intervals.attach(name + ".gpx", course("c", 10 + number)), id=name)
    intervals.plan(1, "twice", lasting(50), id=1)
    intervals.plan(2, "twice", lasting(51), id=1)
    intervals.plan(3, "of a number", lasting(52), id=-1.5)
    shown = plan.pacectl("plan", "fetch")
    assert shown.replace("\n", "").isprintable() and "\u202e" not in shown
    new = files_of(plan.stage.directory) - before
    state = str(plan.link.state)
    assert all(os.path.dirname(path) == state for path in new if "/link-state" in path), new
    assert not os.path.exists("/tmp/evil") and not os.path.exists("/tmp/evil.fit")
    assert len([one for one in plan.plans() if one["kind"] == "workout"]) == len(plan.stored())
    for one in plan.plans():
        assert len(one["name"].encode()) <= 256 and one["name"].isprintable(), one


def test_numbers_and_sizes_are_bounded(plan):
    services = plan.start("intervals", "webdav")
    intervals, webdav = services.intervals, services.webdav
    for number in range(60):
        intervals.plan(number % 7, f"w{number}", lasting(10))
    intervals.plan(0, "huge", lasting(10) + bytes(1 << 20))
    attached = [intervals.attach(f"a{number}.gpx", course(f"a{number}", number)) for number in range(20)]
    intervals.plan(0, "attached", None, *attached)
    for number in range(70):
        webdav.put(f"{number:02}.gpx", course(f"c{number}", number - 80))
    webdav.put("huge.gpx", course("huge", 88) + b" " * (9 << 20))
    plan.fetch()
    assert len(plan.stored()) == 49 and ("huge", "failed") in plan.states()
    assert intervals.count("attachment") == 20 and webdav.count("get") == 64
    assert len(plan.courses()) == 20 + 64 - webdav.fetched().count("huge.gpx")
    # The next fetch goes on.
    plan.fetch()
    assert webdav.count("get") <= 72 and intervals.count("attachment") == 20
    assert sorted(plan.courses()) == sorted([f"a{one}" for one in range(20)] + [f"c{one}" for one in range(70)])
    assert plan.link.kernel_status("VmHWM") < 64 * 1024


@pytest.mark.parametrize("kind, size", [("events", 100), ("attachment", 30), ("list", 100), ("get", 30)])
def test_huge_answer_is_not_kept(plan, kind, size):
    services = plan.start("intervals", "webdav")
    intervals = services.intervals
    intervals.plan(0, "a", None, intervals.attach("a.gpx", course("a", 40)))
    services.webdav.put("b.gpx", course("b"))
    before = plan.link.kernel_status("VmHWM")
    service = intervals if kind in ("events", "attachment") else services.webdav
    service.fail(Failure(answer(207 if kind == "list" else 200, b"[" + b" " * (size << 20))), kind)
    plan.pacectl("plan", "fetch", status=None)
    assert plan.link.kernel_status("VmHWM") - before < 40 * 1024
    plan.fetch()
    assert sorted(plan.courses()) == ["a", "b"]


def test_attachment_of_another_host_is_not_fetched(plan):
    services = plan.start("intervals")
    intervals, port = services.intervals, services.port
    name, address = intervals.attach("a.gpx", course("a"))
    path = address.split(str(port))[1]
    for number, other in enumerate([
            f"https://localhost:{port}{path}", f"http://127.0.0.1:{port}{path}", f"//localhost:{port}{path}", "",
            "a.gpx", f"https://127.0.0.1:{port}@localhost:{port}{path}",
            f"https://127.0.0.1.localhost:{port}{path}",
            f"https://localhost:{port}\\@127.0.0.1{path}", f"https://localhost:{port}#127.0.0.1{path}",
            "file:///etc/passwd", "ftp://127.0.0.1/a.gpx", f"https://127.0.0.1:{port}{path}\r\nHost: x"]):
        intervals.plan(0, f"other {number}", None, (name, other))
    plan.fetch()
    assert intervals.count("attachment") == 0 and plan.courses() == []
    intervals.plan(0, "own", None, (name, address))
    plan.fetch()
    assert intervals.count("attachment") == 1 and plan.courses() == ["a"]


# The configuration

URL = "https://127.0.0.1:1/x"
WRONG = {
    "no service": {"Hour": 5}, "unknown service": {"Service": "strava"},
    "no address": {"Service": "webdav", "User": "anna"}, "no user": {"Service": "webdav", "Url": URL},
    "hour": {"Service": "intervals", "Hour": 24},
    "not allowed": {"Service": "intervals", "Url": "http://127.0.0.1:1"},
    "time": {"Service": "intervals", "TimeoutSec": 4}, "word": {"Service": "intervals", "LoadToday": 2},
    "other scheme": {"Service": "webdav", "Url": "file:///", "User": "a"},
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_section_is_refused_with_its_file(tmp_path, name):
    path = tmp_path / "paced-link.conf"
    path.write_text("[Plan mine]\n" + "".join(f"{key}={value}\n" for key, value in WRONG[name].items()))
    options = [f"--{kind}-dir={tmp_path / kind}" for kind in ("runtime", "state", "paced", "journal")]
    refused = subprocess.run(
        [PACED_LINK, "--config", path, *options], capture_output=True, text=True, timeout=GUARD, env=ENVIRONMENT)
    assert refused.returncode == 2 and refused.stderr.startswith(f"paced-link: {path}"), refused.stderr
