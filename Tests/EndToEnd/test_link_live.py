"""What paced-link sends while it happens: states, events, its own status, and what each level leaves out."""

import contextlib
import re
import signal
import sqlite3
import time

import pytest

from harness.faults import fault_library
from harness.paced_net import StandingGpsd
from harness.timing import wait_for
from matrix import matrix

HEALTH = {"time", "run", "demo", "activity", "battery_percent", "strap_battery_percent", "recorder", "free_mib",
          "faults"}
FIGURES = {"sport", "elapsed_ms", "moving_ms", "distance_m", "speed_mps", "power_w", "cadence", "ascent_m", "descent_m",
           "grade_percent"}
COARSE = HEALTH | FIGURES | {"latitude", "longitude"}
POSITION = COARSE | {"altitude_m", "accuracy_m", "track_deg"}
# The members that a level may have, and those that it has beside the demo of a run.
LEVELS = {
    "none": (set(), set()),
    "health": (HEALTH, {"time", "run", "demo", "activity", "faults"}),
    # A position is sent when it is ten minutes old.
    "coarse": (COARSE - {"latitude", "longitude"}, {"distance_m", "speed_mps", "elapsed_ms"}),
    "position": (POSITION, {"latitude", "longitude", "accuracy_m", "distance_m"}),
    "full": (POSITION | {"bpm"}, {"latitude", "bpm", "distance_m"}),
}


def states(watcher):
    return [message.json for message in watcher.of("/state")]


def begin(link, level="full", **options):
    """The demo of a run with paced-link, and what comes of it."""
    link.start_broker()
    link.start_demo()
    watcher = link.listen("#")
    link.start_link(level, **options)
    return watcher


@pytest.mark.thorough
def test_state_is_flat_and_has_the_values_of_its_moment(link):
    watcher = begin(link)
    reader = link.stage.reader(link.daemon, classes=["STATE"])
    wait_for(lambda: sum("bpm" in state and "latitude" in state for state in states(watcher)) >= 5, 60, "five states")
    published = {line["time"]: line for line in reader.of("STATE") if "time" in line}
    compared = [state for state in states(watcher) if state["time"] in published and "bpm" in state]
    for state in compared:
        assert all(value is not None and not isinstance(value, (dict, list)) for value in state.values())
        line = published[state["time"]]
        assert state["run"] == line["run"] and state["distance_m"] == line["distance_m"]
        assert state["bpm"] == line["heart"]["bpm"] and state["latitude"] == line["position"]["latitude"]
        assert state["faults"] == len(line["faults"])
        assert re.fullmatch("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", state["activity"])
    assert compared
    message = watcher.of("/state")[0]
    assert not message.is_retained and message.properties["ContentType"] == "application/json"


@pytest.mark.thorough
@pytest.mark.parametrize("interval", matrix([1, 3], 1))
def test_state_comes_once_in_each_interval(link, interval):
    watcher = begin(link, mqtt={"IntervalSec": interval})
    wait_for(lambda: len(states(watcher)) > 4, 60, "five states")
    moments = [time.strptime(state["time"][:19], "%Y-%m-%dT%H:%M:%S") for state in states(watcher)]
    seconds = [time.mktime(moment) for moment in moments]
    assert all(after - before >= interval for before, after in zip(seconds, seconds[1:]))


def test_chosen_members_are_sent_alone(link):
    watcher = begin(link, "position", mqtt={"Members": "run, bpm, distance_m"})
    wait_for(lambda: len(states(watcher)) > 2, 60, "states")
    assert all(state.keys() == {"run", "distance_m"} for state in states(watcher))


@pytest.mark.thorough
def test_nothing_is_sent_without_paced(link):
    watcher = begin(link)
    wait_for(lambda: states(watcher), 60, "a state")
    link.daemon.stop()
    wait_for(lambda: "retrying" in link.link.log_text(), 60, "the loss in the log")
    count = len(states(watcher))
    assert link.link.sink("mqtt")["state"] == "connected"
    link.daemon.start()
    wait_for(lambda: len(states(watcher)) > count, 60, "a state of the next daemon")


def status(watcher):
    return [message.payload for message in watcher.of("/status")]


def test_broker_says_offline_after_a_kill_and_after_a_stop(link):
    link.start_broker()
    link.start_daemon()
    watcher = link.listen("+/status")
    link.start_link("health")
    wait_for(lambda: status(watcher) == [b"online"], 60, "online")
    link.link.kill()
    wait_for(lambda: status(watcher) == [b"online", b"offline"], 60, "the will")
    link.link.start()
    wait_for(lambda: len(status(watcher)) == 3, 60, "online")
    link.link.end(signal.SIGTERM)
    wait_for(lambda: status(watcher)[2:] == [b"online", b"offline"], 60, "offline at the stop")
    # Who comes later learns it too.
    later = link.listen("+/status")
    assert later.wait("the status", lambda message: True).is_retained and status(later) == [b"offline"]


@pytest.mark.thorough
def test_status_is_told_again_to_a_broker_that_has_forgotten_it(link):
    link.start_broker()
    link.start_daemon()
    link.start_link("health")
    link.link.wait_for_state("mqtt", "connected")
    link.broker.kill()
    link.link.wait_for_state("mqtt", "waiting")
    link.broker.start()
    watcher = link.listen("+/status")
    wait_for(lambda: status(watcher)[-1:] == [b"online"], 60, "online")


def stored_event(link):
    """The number from which paced-link goes on after a kill."""
    with contextlib.closing(sqlite3.connect(f"file:{link.link.state}/link.sqlite?mode=ro", uri=True)) as file:
        found = file.execute("SELECT seq FROM event").fetchone()
    return found[0] if found else 0


def event_numbers(watcher):
    return [message.json["seq"] for message in watcher.of("/event")]


def test_events_are_sent_once_and_go_on_after_a_break(link):
    link.start_broker()
    link.start_daemon()
    watcher = link.listen("+/event")
    reader = link.stage.reader(link.daemon, classes=["EVENT"])
    link.start_link()
    link.link.wait_for_state("mqtt", "connected")
    link.daemon.control.result("run.start", sport="run", indoor=True)
    start = watcher.wait("the start", lambda message: message.json["event"] == "start")
    line = reader.first("EVENT", event="start")
    assert start.json == {key: value for key, value in line.items() if key != "class"} and start.qos == 1

    def pauses():
        return [line["seq"] for line in reader.of("EVENT") if line["event"] in ("pause", "resume")]

    for count, breaks in ((4, lambda: link.link.kill()), (8, lambda: link.broker.kill())):
        # What was acknowledged is stored within a second, and perhaps sent twice otherwise.
        wait_for(lambda: stored_event(link) >= event_numbers(watcher)[-1], 60, "a stored number")
        breaks()
        for command in ("run.pause", "run.resume", "run.pause", "run.resume"):
            link.daemon.control.result(command)
        wait_for(lambda: len(pauses()) == count, 60, f"{count} events of the socket")
        if link.link.process.poll() is not None:
            link.link.start()
        else:
            link.broker.start()
            assert watcher.subscribed.wait(60)
        wait_for(lambda: set(event_numbers(watcher)) >= set(pauses()), 60, f"the events {pauses()}")
    numbers = event_numbers(watcher.catch_up())
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("level", matrix(list(LEVELS), "health"))
def test_level_leaves_out_what_must_not_leave_the_board(link, level):
    watcher = begin(link, level)
    may, must = LEVELS[level]
    if must:
        wait_for(lambda: any(must <= state.keys() for state in states(watcher)), 60, f"a state with {must}")
    else:
        watcher.wait("a status", lambda message: message.payload == b"online")
    link.daemon.control.result("run.lap")
    link.daemon.control.result("run.mark", text="here")
    link.daemon.control.result("run.stop")
    watched = len(states(watcher))
    if level != "none":
        wait_for(lambda: any(state["run"] == "idle" for state in states(watcher)[watched:]), 60, "the end of the run")
    assert all(state.keys() <= may for state in states(watcher))
    text = " ".join(message.payload.decode() for message in watcher.messages if not message.topic.endswith("/rows"))
    # Wherever they are: in events, and in the summaries of events.
    assert ("bpm" in text) == (level == "full")
    assert ("latitude" in text) == (level in ("position", "full"))
    if level == "none":
        assert {message.topic.rsplit("/", 1)[1] for message in watcher.messages} == {"status"}


@pytest.mark.thorough
def test_coarse_position_is_old_and_rounded(link):
    link.start_broker()
    gpsd = link.stage.keep(StandingGpsd((52.5163, 13.3777)))
    link.start_daemon("--gpsd", gpsd.option, "--sensors", "off")
    wait_for(lambda: "position" in link.daemon.call("status"), 60, "a position")
    watcher = link.listen("+/state", "+/event")
    step = link.stage.directory / "step"
    step.write_text("0")
    link.start_link("coarse", environment={"LD_PRELOAD": fault_library("clock"), "CLOCK_STEP": str(step)})
    wait_for(lambda: len(states(watcher)) > 2, 60, "states")
    assert not any("latitude" in state for state in states(watcher))

    gpsd.place = (48.1372, 11.5756)
    wait_for(lambda: abs(link.daemon.call("status")["position"]["latitude"] - 48.1372) < 1e-6, 60, "the other place")
    other = step.with_suffix(".new")
    other.write_text("601")
    other.rename(step)
    old = watcher.wait("a position", lambda message: "latitude" in message.json)
    assert (old.json["latitude"], old.json["longitude"]) == (52.52, 13.38)
    assert "accuracy_m" not in old.json and "altitude_m" not in old.json


@pytest.mark.thorough
def test_positions_around_the_ends_of_runs_are_not_sent(link):
    """The made activity goes 1.3 km to the north from 52.5, 13.4; a circle of 1 km reaches 0.36 to 1.64 km."""
    link.start_broker()
    gpsd = link.stage.keep(StandingGpsd((52.5010, 13.4)))
    link.start_daemon("--gpsd", gpsd.option, "--sensors", "off")
    link.upload(600)
    watcher = link.listen("+/state")
    link.start_link(mqtt={"HideMetres": 1000})
    # Without a run the position may be a home that no activity has told yet.
    assert visible_at(link, watcher, gpsd, 52.6) == set()
    # Here a run begins, which may end where it began, or where an earlier one did.
    link.daemon.control.result("run.start", sport="run")
    wait_for(lambda: states(watcher)[-1]["run"] == "active", 60, "the start")
    assert visible_at(link, watcher, gpsd, 52.601) == set()
    assert visible_at(link, watcher, gpsd, 52.63) == {52.63}
    assert visible_at(link, watcher, gpsd, 52.5010) == set()


def visible_at(link, watcher, gpsd, latitude):
    """Moves the receiver, and returns the latitudes of the next three states."""
    gpsd.place = (latitude, 13.4)
    wait_for(lambda: abs(link.daemon.call("status").get("position", {"latitude": 0})["latitude"] - latitude) < 1e-6, 60,
             "the position in the state")
    since = len(states(watcher)) + 1
    wait_for(lambda: len(states(watcher)) > since + 2, 60, "states")
    return {round(state["latitude"], 6) for state in states(watcher)[since:] if "latitude" in state}
