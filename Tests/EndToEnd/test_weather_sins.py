"""What a weather service and the networks before it do wrong: each has its reason in the topic within 1 s, and none
prevents the next request."""

import email.utils
import functools
import gzip
import json
import re
import time

import pytest

import needs
from harness.paced_net import first_figures, first_reason
from harness.process import free_port
from harness.timing import boot_ms, expect_within, wait_for
from harness.weather_server import WeatherServer, metar, response, sends, station, taf
from matrix import matrix

LOGIN = "<!DOCTYPE html><html><title>Welcome to Hotel WiFi</title><form>Room number</form></html>"


def html(status, **fields):
    return response(status, LOGIN, content_type="text/html", **fields)


@functools.cache
def bomb():
    """50 MB in 50 kB."""
    return gzip.compress(b" " * 50_000_000)


# The bytes of some sins, and how their reasons begin. The Swift tests of Fetcher have more.
SINS = {
    "302 of a captive portal": (html(302, location="https://portal.hotel.example/"),
                                "login page? {host} redirects to portal.hotel.example"),
    "403": (response(403, "no user agent"), "{host} refuses requests (403)"),
    "503": (response(503, LOGIN), "{host} has an error (503)"),
    "200 of a captive portal": (html(200), "login page? {host} sends something else"),
    "a cut body": (response(200, '[{"icaoId":"ED', content_length=9000), "the response of {host} is cut off"),
    "no HTTP": (b"SSH-2.0-OpenSSH_9.2\r\n", "{host}: "),
    "a gzip bomb": (lambda: response(200, bomb(), content_encoding="gzip"), "the response of {host} is too long"),
}


def fitting_reason(weather, reader, part, since=0):
    """The first line with a reason. It must fit."""
    line = reader.wait("a reason", lambda line: "reason" in line.get("data", {}), 60, since)
    assert line["data"]["reason"].startswith(part.format(host=weather.server.name)[:64])
    assert list(line["data"]) == ["reason"] and line["stale"] is False
    assert "rejects a line" not in weather.net.log_text()
    return line


def check_reason(weather, reader, part):
    """The reason fits, and comes within 1 s of the sin. A second measurement is of a new paced-net."""
    since = 0

    def reason():
        nonlocal since
        if since:
            weather.net.end()
            weather.server.sinned_at = None
            since = len(reader.lines)
            weather.net.start()
        line = fitting_reason(weather, reader, part, since)
        since = len(reader.lines)
        return line, (line.at - wait_for(lambda: weather.server.sinned_at, 60, "the end of the sin")) / 1000

    expect_within(1, reason, "the reason")


def check_healing(weather, reader):
    """Figures follow the healing. Their request comes after a delay of about 2 s."""
    since, sinned = len(reader.lines), weather.server.count()
    weather.server.heal()
    first_figures(reader, since)
    # 2 s, less a random quarter. A busy machine adds to it.
    assert 1400 < weather.server.requests[sinned].at - weather.server.requests[sinned - 1].at < 20_000
    assert "responds again" in weather.net.log_text()


@pytest.mark.parametrize("sin", matrix(SINS, "302 of a captive portal", "a gzip bomb"))
def test_sin_has_its_reason_and_is_forgiven(weather, sin):
    data, part = SINS[sin]
    weather.server.play(sends(data))
    weather.start()
    reader = weather.watch()
    check_reason(weather, reader, part)
    check_healing(weather, reader)


@pytest.mark.thorough
@pytest.mark.parametrize("sin", ["drip", "hang"])
def test_response_without_end_is_given_up(weather, sin):
    weather.server.play(getattr(weather.server, sin))
    weather.start(network="TimeoutSec=3")
    reader = weather.watch()
    line = fitting_reason(weather, reader, "{host} does not respond in time")
    # The default of TimeoutSec is 20.
    assert line.at - weather.server.requests[0].at < 15_000
    check_healing(weather, reader)


@pytest.mark.thorough
def test_body_of_100_mb_is_given_up_at_1_mib(weather):
    weather.server.play(weather.server.flood)
    weather.start()
    memory = weather.net.kernel_status("VmRSS")
    reader = weather.watch()
    check_reason(weather, reader, "the response of {host} is too long")
    assert weather.net.kernel_status("VmRSS") - memory < 8192
    check_healing(weather, reader)


@pytest.mark.thorough
def test_sin_after_the_stations_has_its_reason_too(weather):
    weather.server.play(sends(response(500)), "metar")
    weather.start()
    reader = weather.watch()
    check_reason(weather, reader, "{host} has an error (500)")
    check_healing(weather, reader)
    # The lists of stations were not asked for again.
    assert weather.server.count("stationinfo") == 2


@pytest.mark.thorough
def test_204_says_that_there_are_no_reports(weather):
    weather.server.play(sends(response(204, content_length=None)), "metar")
    weather.start()
    first_reason(weather.watch(), "none of the nearest 8 stations has a report of the last 90 min", seconds=20)
    # A user's next request is sent.
    weather.server.heal()
    assert weather.net.call("weather.at", station="EDDB")["weather"]["station"] == "EDDB"


@pytest.mark.thorough
def test_refused_connection_has_its_reason(weather):
    port = free_port()
    weather.start(server=f"http://127.0.0.1:{port}/api/data")
    first_reason(weather.watch(), f"cannot connect to 127.0.0.1:{port}", seconds=20)


@pytest.mark.thorough
def test_name_without_an_address_has_its_reason(weather):
    weather.start(server="http://nowhere.invalid/api/data", network="TimeoutSec=5")
    first_reason(weather.watch(), "no network: cannot resolve nowhere.invalid")
    # Without a network nothing waits but paced-net.
    assert weather.net.call("rpc.discover")["openrpc"]


@pytest.mark.thorough
@needs.IPV6
def test_service_may_have_ipv6_only(weather):
    weather.server = weather.stage.keep(WeatherServer("::1"))
    weather.add_stations(weather.server)
    weather.start()
    assert first_figures(weather.watch())["station"] == "EDDB"
    assert weather.server.requests[0].headers["host"] == weather.server.name


@pytest.mark.thorough
def test_retry_after_is_the_least_delay(weather):
    weather.server.play(sends(response(429, retry_after=3)))
    weather.start()
    reader = weather.watch()
    fitting_reason(weather, reader, "{host} limits requests (429)")
    weather.server.heal()
    first_figures(reader)
    first, second, *_ = weather.server.requests
    assert second.at - first.at > 2950


@pytest.mark.thorough
def test_retry_after_may_be_a_date(weather):
    dates = []

    def limited():
        dates.append(int(time.time()) + 6)
        return response(429, retry_after=email.utils.formatdate(dates[-1], usegmt=True))

    weather.server.play(sends(limited))
    weather.start()
    reader = weather.watch()
    fitting_reason(weather, reader, "{host} limits requests (429)")
    weather.server.heal()
    first_figures(reader)
    ahead = dates[0] - time.time()
    assert weather.server.requests[1].at > boot_ms() + ahead * 1000 - 50


@pytest.mark.thorough
def test_user_waits_for_retry_after_too(weather):
    weather.server.play(sends(response(429, retry_after=3600)))
    weather.start()
    fitting_reason(weather, weather.watch(), "{host} limits requests (429)")
    weather.server.heal()
    answer = weather.net.call("weather.at", station="EDDB")
    assert f"{weather.server.name} limits requests (429)" in answer["data"]["message"]
    assert weather.server.count() == 1


@pytest.mark.thorough
def test_delay_doubles_with_each_failure(weather):
    weather.server.play(sends(response(500)))
    weather.start()
    weather.watch()
    wait_for(lambda: weather.server.count() >= 4, 60, "four requests")
    times = [request.at / 1000 for request in weather.server.requests]
    for delay, before, after in zip((1.5, 3, 6), times, times[1:]):
        assert after - before > delay - 0.1
    # One line of the log for all.
    assert weather.net.log_text().count("has an error (500)") == 1


HARMFUL = re.compile("[\x00-\x1f\x7f-\x9f\u202e]|" + re.escape(r"\u00"))
HOSTILE = {
    "escape sequences": "24010KT \x1b[2J\x1b]0;owned\x07 9999 12/08 Q1013 RMK \u009b31m \u202e",
    "two lines": "24010KT 9999\r\n12/08 Q1013\nMETAR EDXX 251200Z",
    "zero bytes": "24010KT \0 9999 12/08 Q1013",
    "one long word": "24010KT 9999 12/08 Q1013 " + "X" * 1900,
    "many words": "24010KT 9999 12/08 Q1013 " + "RA " * 500,
    "many clouds": "24010KT 9999 12/08 Q1013 " + "BKN999CB " * 100,
    "many phenomena": "24010KT 9999 " + "+SHRASNGSGRPL VCTSRA " * 30 + "12/08 Q1013",
    "a wind with a digit too many": "2401000KT 9999 12/08 Q1013",
    "a wind of 999 kt": "24999G999KT 9999 12/08 Q1013",
    "a wind from 999": "99910KT 9999 12/08 Q1013",
    "a range of 999": "24010KT 000V999 9999 12/08 Q1013",
    "a temperature with a digit too many": "24010KT 9999 120/08 Q1013",
    "the hottest day": "24010KT 9999 99/99 Q1013",
    "the coldest day": "24010KT 9999 M99/M99 Q1013",
    "no pressure": "24010KT 9999 12/08 Q0000",
    "a high pressure": "24010KT 9999 12/08 Q9999",
    "inches": "24010KT 9999 12/08 A9999",
    "a view of 9999 miles": "24010KT 9999SM 12/08 Q1013",
    "a view without end": "24010KT 99999999999999999999SM 12/08 Q1013",
    "a fraction by zero": "24010KT 1/0SM 12/08 Q1013",
}


@pytest.mark.parametrize("hostile", matrix(HOSTILE, "escape sequences"))
def test_hostile_report_gives_figures_that_the_daemon_accepts(weather, hostile):
    """The figures of the other station at the worst; the schema is checked for every line of the topic."""
    weather.server.report("EDDB", metar("EDDB", HOSTILE[hostile]), taf=taf("EDDB", HOSTILE[hostile]))
    weather.start()
    line = weather.watch().wait("the topic", lambda line: line["class"] == "DATA" and "data" in line, 60)
    assert line["data"]["station"] in ("EDDB", "EDAZ")
    assert not HARMFUL.search(json.dumps(line, ensure_ascii=False))
    assert "rejects a line" not in weather.net.log_text()
    result = weather.net.call("weather.at", station="EDDB")
    assert "weather" in result or "data" in result
    assert not HARMFUL.search(json.dumps(result, ensure_ascii=False))


HOSTILE_FIELDS = {
    "no fields": {}, "null": None, "a text": "EDDB", "numbers": {"icaoId": 7, "rawOb": 7, "lat": "x", "lon": []},
    "a place outside the Earth": station("EDDX", 9e99, 13.4),
    "an endless site": station("EDDX", 52.51, 13.41, site="\x1b[2Je\u0301" * 999),
    "a high station": station("EDDX", 52.51, 13.41, elev=1e300),
    "a hot summit": station("EDDX", 52.51, 13.41, elev=8900),
    "a name with a line": station("E\nDX", 52.51, 13.41), "a name with a parameter": station("E&ids=1", 52.51, 13.41),
    "an endless name": station("E" * 10_000, 52.51, 13.41),
}


@pytest.mark.thorough
@pytest.mark.parametrize("hostile", HOSTILE_FIELDS)
def test_hostile_element_costs_only_itself(weather, hostile):
    element = HOSTILE_FIELDS[hostile]
    answer = weather.server.answer

    def with_element(request):
        good = json.loads(answer(request).partition(b"\r\n\r\n")[2])
        reports = {"rawOb": metar("EDDX", "24010KT 9999 60/08 Q1013"), "obsTime": 1e300}
        wrong = element | reports if isinstance(element, dict) else element
        return response(200, json.dumps([wrong, *good, wrong]))

    weather.server.answer = with_element
    weather.start()
    data = first_figures(weather.watch())
    assert data["station"] in ("EDDB", "EDDX") and len(data.get("site", "")) <= 64
    assert "rejects a line" not in weather.net.log_text()
    assert all(len(request.target) < 200 for request in weather.server.requests)
