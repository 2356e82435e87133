"""What takes minutes and hours: a test steps the clocks of paced-net, and a new subscriber makes it look at them."""

import email.utils
import time

import pytest

from harness.faults import fault_library
from harness.paced_net import figures, first_figures, first_reason
from harness.timing import wait_for
from harness.weather_server import metar, response, sends, station

MINUTES = 60


def start(weather):
    weather.start(**weather.step_environment())
    reader = weather.watch()
    first_figures(reader)
    return reader


def check_step(weather, reader, minutes, requests):
    """Steps the clock, expects `requests` requests since the start, and returns the new subscriber.

    A service that fails may get more of them meanwhile.
    """
    weather.step(minutes * MINUTES)
    reader = weather.watch_again(reader)
    # The response to it follows any lookup that was due.
    weather.net.call("rpc.discover")
    wait_for(lambda: weather.server.count() >= requests, 60, f"{requests} requests")
    assert weather.server.count() == requests or weather.server.sinful
    return reader


def test_failure_keeps_the_figures_with_their_age_and_adds_a_reason(weather):
    reader = start(weather)
    before = reader.of("DATA")[-1]["data"]
    weather.server.play(sends(response(500)))
    reader = check_step(weather, reader, 35, 4)
    line = first_reason(reader, f"{weather.server.name} has an error (500)", seconds=20)
    assert line["data"] == before | {"reason": line["data"]["reason"]}
    # The delay after the failure is that of others; then the reason goes.
    weather.server.report("EDDB", metar("EDDB", "24010KT 9999 17/08 Q1013", minutes=1), 1)
    weather.server.heal()
    data = first_figures(reader, reader.lines.index(line), temperature_c=17)
    assert data["observed_at"] > before["observed_at"]
    assert 1400 < weather.server.requests[4].at - weather.server.requests[3].at < 20_000


@pytest.mark.thorough
def test_failure_is_beside_the_weather_of_a_user_too(weather):
    start(weather)
    weather.step(35 * MINUTES)
    weather.server.play(sends(response(500)))
    result = weather.net.call("weather.at", lat=52.5123, lon=13.4123)["weather"]
    assert (result["station"], result["reason"]) == ("EDDB", f"{weather.server.name} has an error (500)")


@pytest.mark.thorough
def test_no_request_within_4_minutes(weather):
    reader = start(weather)
    reader = check_step(weather, reader, 3.9, 3)
    assert weather.net.call("weather.at")["weather"]["station"] == "EDDB"
    assert weather.server.count() == 3


@pytest.mark.thorough
def test_report_is_asked_for_when_its_station_has_the_next(weather):
    """The station reports each half hour, and the service has it 5 min later; the last one is 5 min old."""
    reader = start(weather)
    reader = check_step(weather, reader, 28, 3)
    check_step(weather, reader, 31, 4)
    assert weather.server.requests[-1].name == "metar"


@pytest.mark.thorough
def test_figures_older_than_2_h_are_dropped_with_a_reason(weather):
    reader = start(weather)
    weather.server.play(sends(response(500)))
    reader = check_step(weather, reader, 35, 4)
    first_reason(reader, "has an error (500)")
    weather.step(116 * MINUTES)
    reader = weather.watch_again(reader)
    line = reader.wait("a reason alone", lambda line: list(line.get("data", {})) == ["reason"], 60)
    assert "has an error (500)" in line["data"]["reason"]


def test_etag_is_sent_back_and_304_keeps_the_report(weather):
    weather.server.fields = {"etag": 'W/"7"', "last_modified": "Wed, 25 Nov 2026 01:00:00 GMT"}
    reader = start(weather)
    weather.server.play(sends(response(304, content_length=None)))
    reader = check_step(weather, reader, 31, 4)
    request = weather.server.requests[-1]
    assert request.headers["if-none-match"] == 'W/"7"'
    assert request.headers["if-modified-since"] == "Wed, 25 Nov 2026 01:00:00 GMT"
    assert "if-none-match" not in weather.server.requests[0].headers
    wait_for(lambda: len(reader.of("DATA")) >= 2, 60, "the topic")
    assert all(figures(line) for line in reader.of("DATA"))
    # It was confirmed just now.
    weather.net.call("weather.at")
    assert weather.server.count() == 4


@pytest.mark.thorough
def test_etag_with_a_line_or_without_end_is_not_sent_back(weather):
    weather.server.fields = {"etag": '"' + "x" * 300 + '"', "last_modified": "x\x7f" * 200}
    reader = start(weather)
    check_step(weather, reader, 31, 4)
    assert "if-none-match" not in weather.server.requests[-1].headers
    assert "if-modified-since" not in weather.server.requests[-1].headers


@pytest.mark.thorough
def test_max_age_is_honoured(weather):
    weather.server.fields = {"cache_control": "public, max-age=2400"}
    reader = start(weather)
    reader = check_step(weather, reader, 39, 3)
    check_step(weather, reader, 60, 4)


@pytest.mark.thorough
def test_expires_is_honoured(weather):
    weather.server.fields = {"expires": email.utils.formatdate(time.time() + 2400, usegmt=True)}
    reader = start(weather)
    reader = check_step(weather, reader, 39, 3)
    check_step(weather, reader, 60, 4)


@pytest.mark.thorough
def test_no_store_is_honoured(weather):
    weather.server.fields = {"cache_control": "no-store"}
    start(weather)
    assert list(weather.net.cache.glob("*.response")) == []


@pytest.mark.thorough
def test_list_without_stations_is_asked_for_again_after_an_hour(weather):
    weather.server.play(sends(response(204, content_length=None)), "stationinfo")
    weather.start(**weather.step_environment())
    reader = weather.watch()
    first_reason(reader, "no weather station within 100 km")
    weather.server.heal()
    reader = check_step(weather, reader, 59, 2)
    reader = check_step(weather, reader, 75, 5)
    first_figures(reader)


@pytest.mark.thorough
def test_list_of_stations_is_kept_for_a_week(weather):
    start(weather)
    weather.step(6 * 24 * 60 * MINUTES)
    weather.net.call("weather.at")
    assert weather.server.count("stationinfo") == 2
    weather.step(8 * 24 * 60 * MINUTES)
    weather.net.call("weather.at")
    assert weather.server.count("stationinfo") > 2


@pytest.mark.thorough
def test_hour_has_at_most_12_requests_whatever_fails(weather):
    weather.server.play(sends(response(500)))
    weather.start(**weather.step_environment())
    reader = weather.watch()
    first_reason(reader, "has an error (500)")
    for second in range(20, 3600, 60):
        weather.step(second)
        reader = weather.watch_again(reader)
        weather.net.call("rpc.discover")
    assert 6 <= weather.server.count() <= 12


@pytest.mark.thorough
def test_distance_follows_a_movement(weather):
    reader = start(weather)
    distance = reader.of("DATA")[-1]["data"]["distance_m"]
    reader = move(weather, reader, 52.45)
    line = reader.wait(
        "another distance", lambda line: line.get("data", {}).get("distance_m", distance) != distance, 60)
    assert line["data"]["station"] == "EDDB" and 11_000 < line["data"]["distance_m"] < 11_500


def move(weather, reader, latitude):
    """Moves north, and steps the clock past the least time between two publications of a movement."""
    weather.gpsd.place = (latitude, 13.4)
    wait_for(lambda: weather.daemon.call("status")["position"]["latitude"] == latitude, 60, "the other place")
    # The state is sent at a change. The daemon has sent it to all when it takes the next request, and paced-net
    # reads it before the new subscriber is there.
    watcher = weather.stage.reader(weather.daemon, classes=["STATE"])
    weather.daemon.call("run.start")
    watcher.wait("the run", lambda line: line["class"] == "STATE" and line["run"] != "idle", 60)
    weather.daemon.call("run.discard")
    weather.net.call("rpc.discover")
    return check_step(weather, reader, 2, 3)


@pytest.mark.thorough
def test_other_station_is_the_nearest_after_a_movement(weather):
    reader = move(weather, start(weather), 52.15)
    data = first_figures(reader, station="EDAZ")
    assert 14_000 < data["distance_m"] < 16_000 and data["temperature_c"] == 14


@pytest.mark.thorough
def test_no_figures_of_stations_that_are_too_far_away_by_now(weather):
    reader = move(weather, start(weather), 54.5)
    assert list(first_reason(reader, "the stations are farther than 100 km by now")["data"]) == ["reason"]
    weather.server.add(station("EDEE", 54.4, 13.4), "24010KT 9999 7/2 Q1013")
    weather.step(6 * MINUTES)
    reader = weather.watch_again(reader)
    assert first_figures(reader, station="EDEE")["distance_m"] < 12_000


def test_clock_that_is_not_set_is_the_reason(weather):
    weather.start_daemon(TIME_OF_DAY="unset")
    weather.start_net(LD_PRELOAD=fault_library("clock"), TIME_OF_DAY="unset")
    line = first_reason(weather.watch(), "the clock is not set")
    assert line["stale"] is False
    assert weather.server.count() == 0
    assert "rejects a line" not in weather.net.log_text()
