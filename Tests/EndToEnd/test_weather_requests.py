"""Requests of users: weather.at on net.sock."""

import json
import time

import pytest

from harness.client import connect
from harness.paced_net import LATITUDE, LONGITUDE, first_figures, first_reason
from harness.timing import wait_for
from harness.weather_server import response, sends, station
from matrix import matrix


def message(answer):
    return answer["data"]["message"]


def test_place_has_the_weather_of_its_stations_and_their_reports(weather):
    weather.start()
    result = weather.net.call("weather.at", lat=52.21, lon=13.21)
    assert (result["weather"]["station"], result["weather"]["temperature_c"]) == ("EDAZ", 14)
    assert 1000 < result["weather"]["distance_m"] < 1500
    assert [report["station"] for report in result["reports"]] == ["EDAZ", "EDDB"]
    assert result["reports"][0]["metar"] == weather.server.reports["EDAZ"]["rawOb"]
    assert result["reports"][1]["taf"] == weather.server.reports["EDDB"]["rawTaf"]
    assert "taf" not in result["reports"][0]


def test_station_may_be_named(weather):
    weather.start()
    result = weather.net.call("weather.at", station="eddb")
    assert (result["weather"]["station"], result["weather"]["distance_m"]) == ("EDDB", 0)
    assert weather.server.requests[0].parameters["ids"] == "EDDB"
    assert message(weather.net.call("weather.at", station="EDZZ")) == "EDZZ has no report of the last 90 min"


def test_without_parameters_it_is_the_weather_here(weather):
    weather.gpsd.place = None
    weather.start()
    assert "paced has no position" in message(weather.net.call("weather.at"))
    assert weather.server.count() == 0
    weather.gpsd.place = (LATITUDE, LONGITUDE)

    def answer():
        return weather.net.call("weather.at").get("weather")

    assert wait_for(answer, 60, "a position")["station"] == "EDDB"


@pytest.mark.parametrize("parameters, text", matrix([
    ({"lat": 52.5}, "lon is missing"), ({"lon": 13.4}, "lat is missing"),
    ({"lat": 91, "lon": 0}, "lat must be a number of degrees, -90 to 90"),
    ({"lat": 0, "lon": "13"}, "lon must be a number of degrees, -180 to 180"),
    ({"station": "EDD"}, "station must be four letters or digits, such as EDDB"),
    ({"station": "ED&B"}, "station must be four letters or digits, such as EDDB"),
    ({"station": "ÄDDB"}, "station must be four letters or digits, such as EDDB"),
    ({"station": "EDDB", "lat": 1, "lon": 1}, "the parameters are station, or lat and lon"),
    ({"place": "Berlin"}, "place"),
], {"lat": 52.5}), ids=str)
def test_wrong_parameters_get_an_error_that_says_why(weather, parameters, text):
    weather.start()
    answer = weather.net.call("weather.at", **parameters)
    assert answer["code"] in (-32602, -32004)
    assert text in message(answer)
    assert weather.server.count() == 0


@pytest.mark.thorough
def test_other_methods_are_unknown(weather):
    weather.start()
    assert weather.net.call("run.start")["code"] == -32601
    document = weather.net.call("rpc.discover")
    assert [method["name"] for method in document["methods"]] == [
        "weather.at", "route.find", "route.course", "transit.departures", "transit.home", "transit.path", "rpc.discover"]


def test_reason_of_a_failure_is_the_error(weather):
    weather.server.play(sends(response(503)))
    weather.start()
    answer = weather.net.call("weather.at", lat=0, lon=0)
    assert answer["code"] == -32001 and message(answer) == f"{weather.server.name} has an error (503)"
    weather.server.heal()
    assert message(weather.net.call("weather.at", lat=0, lon=0)) == "no weather station within 100 km"


@pytest.mark.thorough
def test_17th_waiting_request_is_refused(weather):
    weather.server.play(weather.server.pause)
    weather.start(network="TimeoutSec=60")
    reader = weather.watch()
    wait_for(lambda: weather.server.count() == 1, 60, "the request of the topic")
    with connect(weather.net.runtime / "net.sock", timeout=60) as client:
        lines = client.makefile("rb")

        def ask(number):
            request = {"jsonrpc": "2.0", "id": number, "method": "weather.at", "params": {"lat": number, "lon": 0}}
            client.sendall(json.dumps(request).encode() + b"\n")

        for number in range(17):
            ask(number)
        answer = json.loads(lines.readline())
        assert (answer["id"], answer["error"]["code"]) == (16, -32002)
        assert message(answer["error"]) == "16 requests wait for a response already: try again"
        # The service recovers, and all get their response.
        weather.server.heal()
        weather.server.release()
        answers = [json.loads(lines.readline()) for _ in range(16)]
        assert sorted(answer["id"] for answer in answers) == list(range(16))
        assert all("no weather station" in message(answer["error"]) for answer in answers)
        ask(17)
        assert json.loads(lines.readline())["id"] == 17
    first_figures(reader)
    # One at a time.
    assert weather.server.most_at_once == 1


@pytest.mark.thorough
def test_same_request_of_two_users_is_one_request_to_the_service(weather):
    weather.server.play(weather.server.pause)
    weather.start(network="TimeoutSec=60")
    with connect(weather.net.runtime / "net.sock", timeout=60) as client:
        for number in range(3):
            request = {"jsonrpc": "2.0", "id": number, "method": "weather.at", "params": {"station": "EDDB"}}
            client.sendall(json.dumps(request).encode() + b"\n")
        lines = client.makefile("rb")
        wait_for(lambda: weather.server.count() == 1, 60, "a request")
        # The three lines have been read when a later one has its response.
        client.sendall(b'{"jsonrpc":"2.0","id":9,"method":"rpc.discover"}\n')
        assert json.loads(lines.readline())["id"] == 9
        weather.server.heal()
        weather.server.release()
        assert sorted(json.loads(lines.readline())["id"] for _ in range(3)) == [0, 1, 2]
    assert weather.server.count() == 1


def test_user_does_not_wait_for_the_delay_of_the_topic(weather):
    weather.server.play(sends(response(500)))
    weather.start()
    reader = weather.watch()
    wait_for(lambda: weather.server.count() >= 4, 60, "four failures; the delay is 12 s or more")
    weather.server.heal()
    begun = time.monotonic()
    assert weather.net.call("weather.at", station="EDDB")["weather"]["station"] == "EDDB"
    assert time.monotonic() - begun < 10
    assert first_reason(reader, "has an error (500)")
    first_figures(reader)


@pytest.mark.thorough
def test_user_who_has_gone_is_no_burden(weather):
    weather.start(network="TimeoutSec=60")
    # From then on the connections to paced and to the service are open.
    assert weather.net.call("weather.at", station="EDAZ")["weather"]["station"] == "EDAZ"
    before, asked = weather.net.descriptors(), weather.server.count()
    weather.server.play(weather.server.pause)
    with connect(weather.net.runtime / "net.sock") as client:
        for number in range(16):
            request = {"jsonrpc": "2.0", "id": number, "method": "weather.at", "params": {"lat": number, "lon": 0}}
            client.sendall(json.dumps(request).encode() + b"\n")
        wait_for(lambda: weather.server.count() == asked + 1, 60, "a request")
    weather.server.heal()
    weather.server.release()
    result = wait_for(lambda: weather.net.call("weather.at", station="EDDB").get("weather"), 60, "a response")
    assert result["station"] == "EDDB"
    wait_for(lambda: weather.net.descriptors() <= before, 60, "closed connections")


@pytest.mark.thorough
def test_hourly_limit_of_users_has_a_reason(weather):
    weather.start()
    for number in range(61):
        weather.server.add(station(f"F{number:03d}", 0, number / 100), "20005KT CAVOK 14/09 Q1012")
    answers = [weather.net.call("weather.at", station=f"F{number:03d}") for number in range(61)]
    assert all("weather" in answer for answer in answers[:60])
    assert message(answers[60]) == f"waiting: enough requests to {weather.server.name}"
    assert weather.server.count() == 60
    # Not the topic's.
    first_figures(weather.watch())
