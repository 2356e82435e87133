"""The weather of the nearest stations in the topic: figures, demand, and what leaves the board."""

import datetime

import pytest

from harness.paced_net import LATITUDE, LONGITUDE, first_figures, first_reason
from harness.timing import boot_ms, wait_for
from harness.weather_server import metar, now, station
from matrix import matrix


def age_minutes(data):
    return (now() - datetime.datetime.fromisoformat(data["observed_at"])).total_seconds() / 60


def test_figures_are_those_of_the_nearest_station_with_distance_and_age(weather):
    weather.start()
    line = weather.watch().wait("figures", lambda line: "station" in line.get("data", {}), 60)
    data = line["data"]
    assert (line["source"], line["stale"]) == ("aviationweather.gov", False)
    assert (data["station"], data["site"], data["elevation_m"]) == ("EDDB", "Site of EDDB", 46)
    assert 16_500 < data["distance_m"] < 17_500 and 155 < data["bearing_deg"] < 165
    assert 4 <= age_minutes(data) <= 7
    assert (data["temperature_c"], data["dew_point_c"], data["humidity_percent"]) == (12, 8, 77)
    assert (data["wind_from_deg"], data["wind_speed_mps"], data["wind_gust_mps"]) == (240, 5.14, 10.29)
    assert data["pressure_hpa"] == 1013 and data["visibility_bound"] == "at_least"
    assert [one["code"] for one in data["weather"]] == ["-SHRA"]
    assert data["clouds"][1] == {"cover": "BKN", "base_m": 914, "type": "CB"} and data["ceiling_m"] == 914
    assert data["icon"] == "rain" and data["forecast"]["periods"][0]["icon"]
    forecast = data["forecast"]
    assert (forecast["station"], forecast["distance_m"]) == ("EDDB", data["distance_m"])
    assert forecast["periods"][0]["wind_speed_mps"] == 5.14
    assert "other_stations" not in data and "reason" not in data


def test_missing_figures_come_from_the_next_station_with_its_own_distance(weather):
    weather.server.report("EDDB", metar("EDDB", "/////KT 9999 FEW012 ///// Q1013"))
    weather.start()
    data = first_figures(weather.watch())
    assert (data["station"], data["pressure_hpa"]) == ("EDDB", 1013)
    assert (data["temperature_c"], data["dew_point_c"], data["wind_speed_mps"]) == (14, 9, 2.57)
    other, = data["other_stations"]
    assert other["station"] == "EDAZ" and set(other["figures"]) == {"temperature", "dew_point", "wind"}
    assert 36_000 < other["distance_m"] < 39_000 and age_minutes(other) < 10


@pytest.mark.thorough
def test_old_report_is_not_used(weather):
    weather.server.report("EDDB", metar("EDDB", "24010KT 9999 12/08 Q1013", minutes=92), minutes=92)
    weather.start()
    data = first_figures(weather.watch())
    assert data["station"] == "EDAZ" and data["temperature_c"] == 14


def test_reason_is_that_no_station_has_reported(weather):
    for name in ("EDDB", "EDAZ"):
        weather.server.report(name, metar(name, "24010KT 9999 12/08 Q1013", minutes=92), minutes=92)
    weather.start()
    line = first_reason(weather.watch(), "none of the nearest 8 stations has a report of the last 90 min")
    assert list(line["data"]) == ["reason"]


@pytest.mark.thorough
def test_reason_is_that_no_station_is_near(weather):
    weather.server.stations.clear()
    weather.server.add(station("ETNN", LATITUDE - 0.95, LONGITUDE), "24010KT 9999 12/08 Q1013")
    weather.start()
    line = first_reason(weather.watch(), "no weather station within 100 km")
    assert list(line["data"]) == ["reason"]
    assert weather.server.count("metar") == 0


@pytest.mark.thorough
def test_far_station_is_found_by_a_second_search(weather):
    weather.server.stations.clear()
    weather.server.add(station("ETNN", LATITUDE - 0.85, LONGITUDE), "24010KT 9999 12/08 Q1013")
    weather.start()
    assert 94_000 < first_figures(weather.watch())["distance_m"] < 95_000
    assert [request.name for request in weather.server.requests] == ["stationinfo", "stationinfo", "metar"]


@pytest.mark.thorough
def test_eight_near_stations_need_one_search(weather):
    for number in range(8):
        weather.server.add(station(f"ED0{number}", 52.6 + number / 40, 13.3), "20005KT CAVOK 14/09 Q1012")
    weather.start()
    assert first_figures(weather.watch())["station"] == "ED00"
    assert [request.name for request in weather.server.requests] == ["stationinfo", "metar"]
    assert len(weather.server.requests[1].parameters["ids"].split(",")) <= 8


@pytest.mark.thorough
def test_first_of_400_stations_is_the_nearest(weather):
    weather.server.stations.clear()
    for number in range(400):
        far = 0.9 - number / 1000
        weather.server.add(station(f"E{number:03d}", LATITUDE + far / 2, LONGITUDE + far), "20005KT CAVOK 14/09 Q1012")
    weather.start()
    assert first_figures(weather.watch())["station"] == "E399"


def test_nothing_is_fetched_until_somebody_watches_the_topic(weather):
    weather.start()
    other = weather.stage.reader(weather.daemon, topics=["x-tyres"])
    # The state has reached paced-net: a request of a user finds the position.
    wait_for(lambda: "weather" in weather.net.call("weather.at", station="EDDB"), 60, "a response to a user")
    assert [request.name for request in weather.server.requests] == ["metar"]
    first_figures(weather.watch())
    assert weather.server.count("stationinfo") == 2
    assert other.of("DATA") == []


def test_run_outdoors_fetches_without_a_watcher(weather):
    weather.start()
    weather.daemon.call("run.start", indoor=True)
    assert "weather" in weather.net.call("weather.at", station="EDDB")
    assert weather.server.count("stationinfo") == 0
    weather.daemon.call("run.stop")
    begun = boot_ms()
    weather.daemon.call("run.start")
    wait_for(lambda: weather.server.count("stationinfo") == 2, 60, "requests")
    assert all(request.at > begun for request in weather.server.requests if request.name == "stationinfo")
    # The wind at the rider uses it.
    reader = weather.stage.reader(weather.daemon, classes=["STATE"], blocks=["wind"])
    reader.wait("a wind", lambda line: line["class"] == "STATE" and line.get("blocks", {}).get("wind"), 60)


@pytest.mark.thorough
def test_without_a_position_the_reason_says_so(weather):
    weather.gpsd.place = None
    weather.start()
    reader = weather.watch()
    first_reason(reader, "no position yet")
    assert weather.server.count() == 0
    weather.gpsd.place = (LATITUDE, LONGITUDE)
    first_figures(reader)


@pytest.mark.parametrize("place, boxes", matrix([
    ((52.5123, 13.4123), ["52.0,12.0,53.5,14.5", "51.5,11.0,54.0,15.5"]),
    ((52.9987, 13.0013), ["52.0,12.0,53.5,14.5", "51.5,11.0,54.0,15.5"]),
    ((-33.8688, -179.9), ["-34.5,179.0,-33.0,180.0", "-34.5,-180.0,-33.0,-178.5"]),
], (52.5123, 13.4123)), ids=["Berlin", "the same cell", "two sides of 180 degrees"])
def test_service_learns_the_cell_of_half_a_degree(weather, place, boxes):
    weather.gpsd.place = place
    weather.start()
    weather.watch()
    wait_for(lambda: weather.server.count("stationinfo") >= 2, 60, "requests")
    assert [request.parameters["bbox"] for request in weather.server.requests[:2]] == boxes
    digits = [str(abs(value)).replace(".", "")[:5] for value in place]
    for request in weather.server.requests:
        assert not any(text in request.target + str(request.headers) for text in digits)


def test_requests_name_the_program_and_the_contact(weather):
    weather.start(network="Contact=me@example.org")
    first_figures(weather.watch())
    for request in weather.server.requests:
        assert request.headers["user-agent"].startswith("paced-net/")
        assert request.headers["user-agent"].endswith(" (me@example.org)")
        assert request.method == "GET" and "cookie" not in request.headers and "referer" not in request.headers
    assert weather.server.requests[-1].parameters == {"ids": "EDDB,EDAZ", "format": "json", "taf": "true"}


def test_service_that_is_off_gets_no_request(weather):
    weather.start(server="off")
    first_reason(weather.watch(), "the weather is off in paced-net.conf")
    assert weather.server.count() == 0
