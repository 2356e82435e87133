"""Planned work by paced-link: workouts and courses of services, on demand and once a morning."""

import os

import pytest

import needs
from harness.link import PACED_LINK
from harness.link_plan import course
from harness.process import PACECTL
from harness.timing import wait_for
from harness.users import NOBODY, acting_as, reachable
from harness.workouts import lasting

NO_RIGHT = "paced-link may not command: see paced-link-control.conf"
HOUR, DAY = 3600, 86_400


def test_plan_of_the_week_is_fetched_and_a_workout_is_chosen(plan):
    services = plan.start("intervals", "webdav")
    services.intervals.plan(6, "Last of the week", lasting(90))
    services.intervals.plan(0, "Of today", lasting(45))
    services.intervals.plan(7, "Next week", lasting(10))
    services.webdav.put("Round the lake.gpx", course("Round the lake"))
    services.webdav.put("notes.txt", b"no course")
    assert plan.pacectl("plan", "fetch") == plan.pacectl("plan")
    assert plan.plans() == [
        {"plan": 1, "from": "intervals", "kind": "workout", "day": plan.day(0), "name": "Of today", "state": "stored"},
        {"plan": 2, "from": "intervals", "kind": "workout", "day": plan.day(6), "name": "Last of the week",
         "state": "stored"},
        {"plan": 3, "from": "webdav", "kind": "course", "name": "Round the lake.gpx", "state": "imported"}]
    assert plan.courses() == ["Round the lake"] and services.webdav.fetched() == ["Round%20the%20lake.gpx"]
    assert plan.workout() == []

    assert "1 h 30 min" in plan.pacectl("plan", "load", 2)
    assert plan.workout() == ["5400 s"]
    for name in ("intervals", "webdav"):
        assert plan.status(name)["state"] == "connected" and plan.status(name)["last_success_ms"] >= 0


def test_refused_key_is_told_and_the_plan_stays(plan):
    services = plan.start("intervals")
    services.intervals.plan(0, "Of today", lasting(45))
    plan.fetch()
    services.intervals.secret = "another"
    assert "refuses the credential (403)" in plan.pacectl("plan", "fetch", status=1)
    assert services.intervals.count("events") == 2 and plan.status("intervals")["state"] == "paused"
    assert plan.reader.first("EVENT", event="notice", key="plan-intervals")["topic"] == "x-link"
    # What is stored can be used all the same.
    plan.pacectl("plan", "load", 1)
    assert plan.workout() == ["2700 s"]
    assert "plan 9" in plan.pacectl("plan", "load", 9, status=1)


# When

@pytest.mark.thorough
def test_plan_is_fetched_once_a_day_from_its_hour_on(plan):
    services = plan.start("intervals", "webdav", hour=4.5)
    services.intervals.plan(0, "Of today", lasting(45))
    services.intervals.plan(7, "Next week", lasting(10))
    plan.skip(HOUR / 4)
    assert services.intervals.count() == services.webdav.count() == 0 and plan.plans() == []
    plan.skip(HOUR / 2)
    wait_for(lambda: plan.states() == [("Of today", "stored")], 60, "the plan of the first morning")
    plan.wait_for_count(services.webdav, "list", 1)
    for _ in range(3):
        plan.skip(6 * HOUR)
    # Three hours before the next morning.
    plan.link.stop()
    plan.link.start()
    plan.skip(HOUR)
    assert services.intervals.days() == [plan.day(0)]
    plan.skip(5 * HOUR)
    wait_for(lambda: plan.states() == [("Next week", "stored")], 60, "the plan of the second morning")
    assert services.intervals.days() == [plan.day(0), plan.day(1)]
    plan.wait_for_count(services.webdav, "list", 2)


@pytest.mark.thorough
def test_missed_morning_is_fetched_at_the_start(plan):
    services = plan.start("intervals", hour=11)
    plan.wait_for_count(services.intervals, "events", 1)
    plan.wait_for_plan("intervals", "connected")
    plan.link.kill()
    plan.step(plan.ahead + 3 * DAY)
    plan.link.start()
    plan.wait_for_count(services.intervals, "events", 2)
    assert services.intervals.days() == [plan.day(0), plan.day(3)]


@pytest.mark.thorough
def test_failed_morning_is_tried_again_after_growing_pauses(plan):
    services = plan.start("intervals", hour=4.9)
    services.intervals.fail("500", times=6)
    services.intervals.plan(0, "Of today", lasting(45))
    plan.skip(HOUR / 4)
    for number, minutes in enumerate([10, 20, 40, 80, 120, 120], 1):
        plan.wait_for_count(services.intervals, "events", number)
        status = plan.wait_for_plan("intervals", "waiting", "500")
        assert 60_000 * minutes * 0.9 < status["next_try_ms"] <= 60_000 * minutes * 1.2 + 1000, (number, status)
        plan.skip(status["next_try_ms"] / 1000 + 1)
    wait_for(lambda: plan.states() == [("Of today", "stored")], 60, "the plan")
    plan.wait_for_plan("intervals", "connected")


@pytest.mark.thorough
def test_nothing_is_fetched_during_a_run_but_on_demand(plan):
    services = plan.start("intervals", hour=4.5)
    services.intervals.plan(0, "Of today", lasting(45))
    plan.daemon.control.result("run.start", sport="run", indoor=True)
    # paced-link has a state of paced each second.
    plan.reader.watch(2)
    plan.skip(HOUR)
    plan.reader.watch(2)
    assert services.intervals.count() == 0
    plan.fetch()
    assert services.intervals.count() == 1
    plan.skip(DAY)
    plan.reader.watch(2)
    assert services.intervals.count() == 1
    plan.daemon.control.result("run.stop")
    plan.wait_for_count(services.intervals, "events", 2)


@pytest.mark.thorough
@needs.ROUTE
def test_metered_network_is_used_on_demand_only(plan):
    services = plan.start("intervals", hour=12, metered=" ".join(os.listdir("/sys/class/net")))
    plan.reader.watch(2)
    assert services.intervals.count() == 0
    plan.fetch()
    assert services.intervals.count() == 1


@pytest.mark.thorough
def test_nothing_is_fetched_without_a_clock(plan):
    services = plan.start("intervals", "webdav", hour=12, environment={"TIME_OF_DAY": "unset"})
    assert "clock-unset" in plan.pacectl("plan", "fetch", status=1)
    assert services.intervals.count() == services.webdav.count() == 0 and services.connections == 0


# Courses

@pytest.mark.thorough
def test_only_changed_files_are_fetched_again(plan):
    services = plan.start("webdav")
    names = ["a.gpx", "b b.gpx", "ü%2F.GPX"]
    for number, name in enumerate(names):
        services.webdav.put(name, course(name, 50 + number))
    assert [one["state"] for one in plan.fetch()] == ["imported"] * 3
    assert sorted(plan.courses()) == sorted(names)
    plan.fetch()
    plan.link.kill()
    plan.link.start()
    plan.fetch()
    assert services.webdav.count("list") == 3 and services.webdav.count("get") == 3
    services.webdav.put("a.gpx", course("a, longer", 40))
    plan.fetch()
    assert services.webdav.fetched()[3:] == ["a.gpx"] and plan.courses()[3:] == ["a, longer"]


@pytest.mark.thorough
def test_deleted_course_comes_back_only_when_its_file_changes(plan):
    services = plan.start("webdav")
    services.webdav.put("a.gpx", course("a"))
    plan.fetch()
    number = plan.daemon.control.result("course.list")[0]["id"]
    plan.daemon.control.result("course.delete", id=number)
    plan.fetch()
    assert plan.courses() == [] and services.webdav.count("get") == 1
    services.webdav.put("a.gpx", course("a changed"))
    plan.fetch()
    assert services.webdav.count("get") == 2


@pytest.mark.thorough
def test_course_that_is_there_is_not_imported_twice(plan, tmp_path):
    services = plan.start("webdav")
    (tmp_path / "mine.gpx").write_bytes(course("Mine"))
    plan.pacectl("course", "import", tmp_path / "mine.gpx")
    services.webdav.put("copy.gpx", course("Mine"))
    services.webdav.put("again.gpx", course("Mine"))
    assert sorted(one["state"] for one in plan.fetch()) == ["imported", "imported"]
    assert plan.courses() == ["Mine"]


@pytest.mark.thorough
def test_attached_courses_are_imported(plan):
    intervals = plan.start("intervals").intervals
    intervals.plan(1, "With a course", lasting(45), intervals.attach("Hill.gpx", course("Hill")),
                   intervals.attach("photo.jpg", b"no course"))
    intervals.plan(2, "Only a course", None, intervals.attach("Lake.GPX", course("Lake", 48)))
    plan.fetch()
    assert sorted(plan.courses()) == ["Hill", "Lake"] and intervals.count("attachment") == 2
    assert [(one["day"], one["kind"], one["name"]) for one in plan.plans()] == [
        (plan.day(1), "workout", "With a course"), (plan.day(1), "course", "Hill.gpx"),
        (plan.day(2), "course", "Lake.GPX")]
    assert "plan 2 is a course" in plan.pacectl("plan", "load", 2, status=1)
    plan.fetch()
    assert intervals.count("attachment") == 2


# Workouts

@pytest.mark.thorough
def test_workouts_follow_the_changes_of_the_plan(plan):
    intervals = plan.start("intervals").intervals
    intervals.plan(1, "One", lasting(10))
    intervals.plan(2, "Two", lasting(20))
    plan.fetch()
    assert len(plan.stored()) == 2
    assert all((plan.link.state / name).stat().st_mode & 0o777 == 0o600 for name in plan.stored())
    moved, dropped = intervals.events_of_days
    intervals.events_of_days = [moved._replace(day=dropped.day, name="One, later", file=lasting(15))]
    plan.fetch()
    assert len(plan.stored()) == 1
    only, = plan.plans()
    assert (only["name"], only["day"]) == ("One, later", plan.day(2))
    plan.link.kill()
    plan.link.start()
    assert plan.plans() == [only]
    plan.pacectl("plan", "load", 1)
    assert plan.workout() == ["900 s"]


@pytest.mark.thorough
def test_workouts_of_a_day_are_in_the_order_of_their_times(plan):
    intervals = plan.start("intervals").intervals
    for hour in ("18", "07", "12"):
        intervals.plan(0, hour, lasting(10), start_date_local=f"{plan.day(0)}T{hour}:00:00")
    assert [one["name"] for one in plan.fetch()] == ["07", "12", "18"]


@pytest.mark.thorough
def test_first_workout_of_today_is_loaded_in_the_morning(plan):
    intervals = plan.start("intervals", hour=4.5, LoadToday="yes").intervals
    intervals.plan(0, "First", lasting(10))
    intervals.plan(0, "Second", lasting(20))
    intervals.plan(1, "Tomorrow", lasting(30))
    intervals.plan(3, "Later", lasting(40))
    plan.skip(HOUR)
    wait_for(lambda: plan.loaded() == ["600 s"], 60, "the workout of today")
    assert plan.workout() == ["600 s"] and plan.states()[0] == ("First", "loaded")
    # Once a day: whoever unloads it has no other one, and no later fetch changes it.
    plan.daemon.control.result("settings.set", key="workout", value=[])
    plan.fetch()
    assert plan.workout() == []
    plan.skip(DAY)
    wait_for(lambda: plan.loaded() == ["1800 s"], 60, "the workout of the second day")
    # That of an earlier day is replaced; without one for today it stays.
    intervals.plan(2, "Third day", lasting(50))
    plan.skip(DAY)
    wait_for(lambda: plan.loaded() == ["3000 s"], 60, "the workout of the third day")
    assert plan.workout() == ["3000 s"]
    plan.daemon.control.result("settings.set", key="workout", value=["7 min"])
    plan.skip(DAY)
    plan.wait_for_count(intervals, "events", 5)
    wait_for(lambda: ("Later", "stored") in plan.states(), 60, "the plan of the fourth day")
    plan.wait_for_plan("intervals", "connected")
    assert plan.workout() == ["7 min"]


@pytest.mark.thorough
def test_workout_is_not_loaded_into_a_run_that_has_begun_meanwhile(plan):
    services = plan.start("intervals", hour=4.5, LoadToday="yes")
    services.intervals.plan(0, "Of today", lasting(10))
    # The answer waits.
    with services.lock:
        connections = services.connections
        plan.skip(HOUR)
        wait_for(lambda: services.connections > connections, 60, "a connection")
        plan.daemon.control.result("run.start", sport="run", indoor=True)
        plan.reader.watch(2)
    wait_for(lambda: plan.states() != [], 60, "the plan")
    plan.wait_for_plan("intervals", "connected")
    plan.reader.watch(1)
    assert plan.workout() == [] and plan.states() == [("Of today", "stored")]


@pytest.mark.thorough
def test_setting_of_the_user_is_kept(plan):
    intervals = plan.start("intervals", hour=4.5, LoadToday="yes").intervals
    intervals.plan(0, "Of today", lasting(10))
    plan.daemon.control.result("settings.set", key="workout", value=["7 min"])
    plan.skip(HOUR)
    wait_for(lambda: plan.states() == [("Of today", "stored")], 60, "the plan")
    plan.wait_for_plan("intervals", "connected")
    assert plan.workout() == ["7 min"]


@pytest.mark.thorough
def test_workouts_of_a_removed_section_are_removed(plan):
    intervals = plan.start("intervals").intervals
    intervals.plan(1, "One", lasting(10))
    plan.fetch()
    text = plan.link.configuration.read_text()
    for configuration in (text.replace("[Plan intervals]", "[Plan other]"), ""):
        plan.link.stop()
        plan.link.configuration.write_text(configuration)
        (plan.stage.directory / "credentials/plan-other").write_text(intervals.secret)
        plan.link.start()
        # An answer comes after the start.
        plan.link.call("link.status")
        assert plan.stored() == []
        if configuration:
            plan.fetch()
            assert len(plan.stored()) == 1


# The right

@pytest.mark.thorough
@needs.ROOT
def test_link_without_the_right_says_so_and_asks_nobody(plan):
    """As under systemd: the link is another user, whose groups let it read. Here one group has all sockets."""
    services = plan.start("intervals", "webdav")
    services.intervals.plan(0, "Of today", lasting(45))
    services.webdav.put("a.gpx", course("a"))
    plan.link.stop()
    plan.stage.directory.chmod(0o755)
    for directory in (plan.link.runtime, plan.link.state):
        for path in (directory, *directory.iterdir()):
            os.chown(path, NOBODY, 0)
    control = plan.daemon.runtime / "control.sock"
    control.chmod(0o600)
    # paced-link runs the pacectl beside it.
    reachable(PACECTL)
    plan.link.command[0], plan.link.options = str(reachable(PACED_LINK)), acting_as(NOBODY, 0)
    plan.link.environment["HOME"] = "/nonexistent"
    plan.link.start()
    assert NO_RIGHT in plan.pacectl("plan", "fetch", status=1)
    plan.wait_for_plan("webdav", "paused", NO_RIGHT)
    assert services.intervals.count() == services.webdav.count() == 0 and plan.plans() == []
    control.chmod(0o660)
    plan.link.stop()
    plan.link.start()
    plan.fetch()
    assert [one["state"] for one in plan.plans()] == ["stored", "imported"], plan.plans()[1]["reason"]
    assert plan.courses() == ["a"]
