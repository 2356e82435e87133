"""`pacectl route` and `route.find`: several routes to a place from a route engine, the flattest first."""

import base64
import json
import math
import re
import subprocess

import pytest
from geographiclib.geodesic import Geodesic

from harness.gtfs import Feed
from harness.paced_net import PacedNet, StandingGpsd
from harness.process import PACECTL, free_port
from harness.route_engine import RouteEngine, brouter_answer, recorded, straight, valhalla
from harness.timing import boot_ms, wait_for
from harness.weather_server import response, sends
from matrix import matrix

FROM, TO = (42.5075, 1.521), (42.512, 1.54)
PAIRS = sorted({re.match(r"lonlats=([^&]*)", one["query"])[1] for one in recorded()
                if "uphillcost=200" in one["query"]})


def text(place):
    return f"{place[0]},{place[1]}"


class Stage:
    """`paced-net` beside a daemon that has a position, and a route engine."""

    def __init__(self, stage, engine, timeout=30):
        self.stage, self.engine = stage, engine
        self.gpsd = stage.keep(StandingGpsd(FROM))
        self.daemon = stage.paced("--gpsd", self.gpsd.option, "--sensors", "off")
        self.net = stage.start(PacedNet(
            stage.directory, self.daemon.runtime,
            configuration=f"[Network]\nTimeoutSec={timeout}\n[Weather]\nServer=off\n[Routes]\nEngine={engine.address}\n",
            # Nobody listens there: a proxy is not asked for an engine of this machine.
            http_proxy="http://127.0.0.1:9", no_proxy="engine.invalid"))
        # The position has reached paced-net.
        wait_for(lambda: "no position" not in str(self.net.call("weather.at")), 60, "a position")

    def command(self, *words):
        return [str(word) for word in (
            PACECTL, "--metric", "--runtime-dir", self.daemon.runtime, "--state-dir", self.stage.directory / "state", "route",
            "--net-dir", self.net.runtime, *words)]

    def route(self, *words):
        return subprocess.run(self.command(*words), capture_output=True, text=True, timeout=100)

    def find(self, start=FROM, end=TO, **parameters):
        return self.net.call("route.find", **{
            "from": {"lat": start[0], "lon": start[1]}, "to": {"lat": end[0], "lon": end[1]}, "profile": "walk"} | parameters)


@pytest.fixture
def routes(stage):
    return Stage(stage, stage.keep(RouteEngine()))


# An implementation of our rules of length and ascent that shares nothing with that of the programs.

def length(points):
    return sum(Geodesic.WGS84.Inverse(one[1], one[0], other[1], other[0])["s12"] for one, other in zip(points, points[1:]))


def climbed(levels, least):
    """The ascent between turning points that are at least `least` metres apart."""
    total, low, high, up = 0.0, levels[0], levels[0], None
    for level in levels:
        if up is None:
            low, high = min(low, level), max(high, level)
            if level - low >= least:
                up, total, high = True, level - low, level
            elif high - level >= least:
                up, low = False, level
        elif up:
            if level > high:
                total, high = total + level - high, level
            elif high - level >= least:
                up, low = False, level
        elif level < low:
            low = level
        elif level - low >= least:
            up, total, high = True, total + level - low, level
    return total


def ascent(points):
    """Source: docs/behaviour.md, "The profile of a course"."""
    points = [point for index, point in enumerate(points) if index == 0 or point[:2] != points[index - 1][:2]]
    places = [0.0]
    for one, other in zip(points, points[1:]):
        places.append(places[-1] + Geodesic.WGS84.Inverse(one[1], one[0], other[1], other[0])["s12"])
    samples, after = [], 1
    for index in range(math.ceil(places[-1] / 10) + 1):
        metres = min(index * 10, places[-1])
        while after < len(places) - 1 and places[after] < metres:
            after += 1
        part = (metres - places[after - 1]) / (places[after] - places[after - 1])
        samples.append(points[after - 1][2] + part * (points[after][2] - points[after - 1][2]))
    rough = sum(abs(a - 2 * b + c) for a, b, c in zip(samples, samples[1:], samples[2:])) / max(len(samples) - 2, 1)
    width, turn = (5, 1) if rough < 0.03 else (10, 2) if rough < 0.1 else (20, 10)
    smooth = []
    for index in range(len(samples)):
        half = min(width // 2, index, len(samples) - 1 - index)
        window = samples[index - half:index + half + 1]
        smooth.append(sum(window) / len(window))
    return climbed(smooth, turn)


@pytest.mark.parametrize("places", matrix(PAIRS, PAIRS[0]))
@pytest.mark.parametrize("profile", matrix(["walk", "ride"], "walk"))
def test_routes_of_recorded_answers_are_ranked_by_ascent(routes, places, profile):
    start, end = [tuple(map(float, reversed(place.split(",")))) for place in places.split("|")]
    found = routes.find(start, end, profile=profile)
    track = json.loads(routes.engine.answers[0])["features"][0]["geometry"]["coordinates"]
    if max(length([[start[1], start[0]], track[0]]), length([track[-1], [end[1], end[0]]])) > 200:
        assert found["data"]["reason"] == "outside-map"
        return
    assert len(routes.engine.requests) == 6
    truth = []
    for body in routes.engine.answers:
        feature = json.loads(body)["features"][0]
        points = feature["geometry"]["coordinates"]
        truth.append((length(points), ascent(points), len(feature["properties"].get("voicehints", []))))
    shortest = min(one[0] for one in truth)
    ranked = found["routes"]
    assert ranked and len(ranked) <= len(truth)
    for one in ranked:
        # Length and ascent within 1 m of the same answer.
        assert any(abs(one["length_m"] - metres) < 1 and abs(one["ascent_m"] - up) < 1 and one["turns"] == turns
                   for metres, up, turns in truth), (one["length_m"], one["ascent_m"], one["turns"], truth)
        assert one["length_m"] <= 2 * shortest + 1
    # Each route is the shortest of those that tie with the flattest of the rest.
    for index, one in enumerate(ranked):
        rest = ranked[index:]
        limit = min(other["ascent_m"] for other in rest)
        limit += max(5, limit * 0.05)
        # The figures are rounded to 0.1 m.
        assert one["ascent_m"] <= limit + 0.2
        assert one["length_m"] <= min(other["length_m"] for other in rest if other["ascent_m"] <= limit - 0.2) + 0.2
    # The flattest of all is not lost.
    flattest = min(up for metres, up, _ in truth if metres <= 2 * shortest)
    assert ranked[0]["ascent_m"] <= flattest + max(5, flattest * 0.05) + 1


@pytest.mark.thorough
@pytest.mark.parametrize("name, profile", matrix([
    ("lavella-north-foot", "walk"), ("ordino-massana-foot", "run"), ("lavella-north-bike", "ride"),
    ("escaldes-encamp-foot", "walk")], "lavella-north-bike"))
def test_answers_of_valhalla_are_read(routes, name, profile):
    answer = valhalla(name)
    routes.engine.reply = lambda request: json.dumps(answer["response"])
    start, end = [(place["lat"], place["lon"]) for place in answer["request"]["locations"]]
    found = routes.find(start, end, profile=profile, engine=f"valhalla+{routes.engine.address}")
    assert found["engine"] == "valhalla"
    bodies = [json.loads(request.body) for request in routes.engine.requests]
    costing = "bicycle" if profile == "ride" else "pedestrian"
    assert [body["costing_options"][costing]["use_hills"] for body in bodies] == [0, 1]
    assert all(body["costing"] == costing and body["alternates"] == 3 for body in bodies)
    trips = [answer["response"]["trip"], *(one["trip"] for one in answer["response"].get("alternates", []))]
    stated = [trip["summary"]["length"] * 1000 for trip in trips]
    assert found["routes"] and all(
        any(abs(one["length_m"] - metres) < max(2, metres * 0.005) for metres in stated) for one in found["routes"])


def test_graphhopper_is_asked_for_six_routes(routes):
    points = straight(FROM, TO)
    routes.engine.reply = lambda request: json.dumps({"paths": [
        {"distance": 1, "time": 1000, "points": {"type": "LineString", "coordinates": points}, "instructions": []}]})
    found = routes.find(engine=f"graphhopper+{routes.engine.address}")
    assert len(found["routes"]) == 1
    request, = routes.engine.requests
    assert request.path == "/route" and request.parameters["alternative_route.max_paths"] == "6"
    assert request.target.count("point=") == 2 and request.parameters["elevation"] == "true"


LOGIN = "<!DOCTYPE html><html><title>Welcome to Hotel WiFi</title></html>"
NEAR = brouter_answer(straight(FROM, TO))
# The response of each failure, the word for programs, a part of the text, and the status of pacectl.
FAILURES = {
    "outside of the map": (response(400, "datafile E5_N40.rd5 not found\n", content_type="text/plain"), "rejected",
                           "rejects the request (datafile E5_N40.rd5 not found)", 1),
    "wrong profile": (response(500), "server-error", "has an error; see its log", 1),
    "wrong address": (response(404), "rejected", "rejects the request (status 404)", 1),
    "rate limit": (response(429), "limited", "limits requests; try again later", 3),
    "a page": (response(200, LOGIN, content_type="text/html"), "page", "sends a page for people", 1),
    "a redirection": (response(302, location="http://login.example/"), "redirected", "redirects to another address", 1),
    "half a body": (response(200, NEAR[:200], content_length=len(NEAR)), "cut-off", "is cut off", 1),
    "half a text": (response(200, NEAR[:200]), "format", "does not answer as BRouter does", 1),
    "another engine": (response(200, json.dumps(valhalla("lavella-north-foot")["response"])), "format",
                       "does not answer as BRouter does", 1),
    "nothing": (response(200, ""), "cut-off", "is cut off", 1),
    "no route": (response(400, "no track found at pass=0\n", content_type="text/plain"), "no-route",
               "finds no route (no track found at pass=0)", 1),
    "far start": (response(200, brouter_answer(straight((42.9, 1.5), TO))), "outside-map", "the nearest road or path to the start is 43", 1),
    "far end": (response(200, brouter_answer(straight(FROM, (42.509, 1.537)))), "outside-map",
                "the nearest road or path to the destination is 4", 1),
    "far detour": (response(200, brouter_answer([
        *straight(FROM, (45.2, 1.5), count=20), *straight((45.2, 1.5), TO, count=20)])), "too-far", "km long, more than 500.0 km", 1),
    "off the Earth": (response(200, brouter_answer([[1.521, 42.5075], [1.54, 95]])), "format", "does not answer as BRouter does", 1),
    "position": (response(400, "no road at 42.5075,1.521", content_type="text/plain"), "rejected", "no road at 42.5075", 1),
    "hostile words": (response(400, "\x1b[2Jno\x00 way" * 50, content_type="text/plain"), "rejected", "rejects the request", 1),
}


@pytest.mark.parametrize("name", matrix(FAILURES, "outside of the map", "a page", "position"))
def test_failure_of_the_engine_has_its_message(routes, name):
    data, reason, words, status = FAILURES[name]
    routes.engine.play(sends(data), "brouter")
    error = routes.net.call("route.find", **{
        "from": {"lat": FROM[0], "lon": FROM[1]}, "to": {"lat": TO[0], "lon": TO[1]}, "profile": "walk"})
    assert (error["code"], error["data"]["reason"]) == (-32005, reason)
    done = routes.route("--from", text(FROM), "--to", text(TO))
    assert (done.returncode, done.stdout) == (status, "")
    assert words in done.stderr and done.stderr.count("\n") == 1
    assert all(character == "\n" or character.isprintable() for character in done.stderr)
    log = routes.net.log_text()
    assert "no route: " + reason in log and not any(f"{degrees:.2f}" in log for degrees in (*FROM, *TO))
    routes.engine.heal()
    assert routes.route("--from", text(FROM), "--to", text(TO)).returncode == 0


@pytest.mark.thorough
def test_engine_that_limits_requests_is_not_asked_before_its_time(routes):
    routes.engine.play(sends(response(429, retry_after=15)), "brouter")
    limited = routes.route("--to", text(TO))
    assert limited.returncode == 3 and re.search(r"limits requests; try again in \d+ s", limited.stderr)
    routes.engine.heal()
    again = routes.route("--to", text(TO))
    assert again.returncode == 3 and "limits requests" in again.stderr
    assert len(routes.engine.requests) == 1
    wait_for(lambda: routes.route("--to", text(TO)).returncode == 0, 90, "a route")


@pytest.mark.thorough
def test_silent_engine_has_its_message(stage):
    routes = Stage(stage, stage.keep(RouteEngine()), timeout=2)
    routes.engine.play(routes.engine.hang, "brouter")
    began = boot_ms()
    slow = routes.route("--to", text(TO))
    assert slow.returncode == 3 and "does not respond within 2 s" in slow.stderr and boot_ms() - began < 20_000


@pytest.mark.thorough
def test_flooding_and_missing_engines_have_their_messages(routes):
    routes.engine.play(routes.engine.flood, "brouter")
    flood = routes.route("--to", text(TO))
    assert flood.returncode == 1 and "has more than 512 KiB" in flood.stderr
    away = routes.route("--to", text(TO), "--engine", f"http://127.0.0.1:{free_port()}")
    assert away.returncode == 3 and "cannot connect to the route engine at 127.0.0.1" in away.stderr
    unknown = routes.route("--to", text(TO), "--engine", "http://engine.invalid")
    assert unknown.returncode == 3 and "cannot resolve engine.invalid" in unknown.stderr


@pytest.mark.thorough
def test_later_failures_keep_the_routes_of_the_first_response(routes):
    def reply(request):
        return NEAR if request.parameters["alternativeidx"] == "0" else response(500)
    routes.engine.reply = reply
    assert len(routes.find()["routes"]) == 1
    assert len(routes.engine.requests) == 6


def test_chosen_route_becomes_the_course_of_the_daemon(routes):
    done = routes.route("--to", text(TO), "--load", "1")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["ROUTE", "LENGTH", "UP", "DOWN", "STEEPEST", "TIME", "PROFILE"]
    assert any("From brouter at 127.0.0.1" in line for line in lines)
    course, = routes.daemon.call("course.list")
    assert course["loaded"] and course["name"] == "Route to 42.51200,1.54000" and course["points"] > 0
    found = routes.find()
    assert abs(course["length_m"] - found["routes"][0]["length_m"]) < 1
    assert abs(course["ascent_m"] - found["routes"][0]["ascent_m"]) < 0.2
    missing = routes.route("--to", text(TO), "--load", "20")
    assert missing.returncode == 1 and "--load 20: there" in missing.stderr


def over(request):
    """The answer of an engine that knows straight ways only."""
    places = [(lat, lon) for lon, lat in RouteEngine.places(request.parameters)]
    points = [point for one, other in zip(places, places[1:]) for point in straight(one, other, count=20)]
    return brouter_answer(points)


def test_route_leads_over_the_places_on_the_way(routes):
    routes.engine.reply = over
    via = [(42.515, 1.525), (42.516, 1.535)]
    done = routes.route("--to", text(TO), *(word for place in via for word in ("--via", text(place))), "--load", "1")
    assert done.returncode == 0, done.stderr
    assert RouteEngine.places(routes.engine.requests[0].parameters) == [
        pytest.approx([lon, lat], abs=1e-6) for lat, lon in (FROM, *via, TO)]
    found = routes.find(via=[{"lat": lat, "lon": lon} for lat, lon in via])
    wanted = length([[lon, lat] for lat, lon in (FROM, *via, TO)])
    assert abs(found["routes"][0]["length_m"] - wanted) < 1

    routes.engine.reply = lambda request: NEAR
    done = routes.route("--to", text(TO), "--via", "42.52,1.521")
    assert done.returncode == 1 and "the nearest road or path to the place on the way is 1." in done.stderr


@pytest.mark.parametrize("engine", matrix(["brouter", "valhalla", "graphhopper"], "valhalla"))
def test_other_engines_are_asked_for_a_way_over_places(routes, engine):
    via = {"lat": 42.51, "lon": 1.53}
    routes.engine.reply = lambda request: response(500)
    routes.find(via=[via], engine=f"{engine}+{routes.engine.address}")
    request = routes.engine.requests[0]
    if engine == "valhalla":
        body = json.loads(request.body)
        assert body["locations"][1] == via | {"type": "via"} and "type" not in body["locations"][0] | body["locations"][2]
        # It knows alternatives between two places only.
        assert "alternates" not in body
    elif engine == "graphhopper":
        assert request.target.count("point=") == 3 and "algorithm" not in request.parameters
    else:
        assert len(RouteEngine.places(request.parameters)) == 3


def test_round_trips_have_the_wanted_length(routes):
    routes.engine.reply = over
    done = routes.route("--loop", "13km", "--load", "1")
    assert done.returncode == 0, done.stderr
    course, = routes.daemon.call("course.list")
    # The engine's ways are straight, so the first triangles are too small; the second ones are right.
    assert course["name"] == "Round trip of 13.0 km" and abs(course["length_m"] - 13_000) < 50
    trips = [RouteEngine.places(request.parameters) for request in routes.engine.requests]
    assert len(trips) == 12 and all(trip[0] == trip[3] == pytest.approx([FROM[1], FROM[0]], abs=1e-6) for trip in trips)

    # Ways into the north are there, and no others.
    def north(request):
        corners = RouteEngine.places(request.parameters)[1:3]
        if min(lat for _, lat in corners) < FROM[0]:
            return response(400, "via1-position not mapped in existing datafile\n", content_type="text/plain")
        return over(request)
    routes.engine.reply = north
    found = routes.net.call("route.find", **{"from": {"lat": FROM[0], "lon": FROM[1]}, "length_m": 5000, "profile": "run"})
    assert abs(found["routes"][0]["length_m"] - 5000) < 750 and len(found["routes"]) <= 3


@pytest.mark.thorough
def test_destination_is_a_place_by_name_or_id(routes):
    maps = routes.stage.directory / "maps"
    places = maps / "places.geojsonseq"
    maps.mkdir()
    # The farther one of two with the same name has the smaller ID.
    places.write_text("".join(json.dumps({
        "type": "Feature", "id": f"n{number}", "geometry": {"type": "Point", "coordinates": [lon, lat]},
        "properties": {"amenity": "drinking_water", "name": name}}) + "\n" for number, lat, lon, name in [
            (7, 42.532, 1.54, "Font Gran"), (8, *TO, "Font Gran"), (9, 42.522, 1.54, "Font de l'Ós")]))
    subprocess.run([PACECTL, "places", "import", places, "--maps-dir", maps], check=True, timeout=60)
    ends = []

    def reply(request):
        start, end = RouteEngine.places(request.parameters)
        ends.append((end[1], end[0]))
        return brouter_answer(straight((start[1], start[0]), (end[1], end[0])))
    routes.engine.reply = reply

    def asked(*words):
        ends.clear()
        done = routes.route("--maps-dir", maps, *words)
        assert done.returncode == 0, done.stderr
        return done

    done = asked("--to", "font gran", "--load", "1")
    assert set(ends) == {TO}
    assert "n8" in done.stdout.splitlines()[1] and "© OpenStreetMap" in done.stdout and "other places match too" in done.stderr
    assert routes.daemon.call("course.list")[0]["name"] == "Route to Font Gran"
    done = asked("--to", "n9")
    assert set(ends) == {(42.522, 1.54)} and "Font de l'Ós" in done.stdout and done.stderr == ""
    assert json.loads(asked("--json", "--to", "Font de l").stdout)["routes"]

    for destination, directory, message in [
        ("Nowhere", maps, "no place has the name 'Nowhere'"), ("n5", maps, "there is no place n5"),
        ("Font Gran", maps / "none", "pacectl places import"),
    ]:
        done = routes.route("--to", destination, "--maps-dir", directory)
        assert done.returncode == 1 and message in done.stderr and done.stdout == ""


@pytest.mark.thorough
def test_destination_is_a_stop_of_the_timetable(routes):
    feed = Feed()
    feed.stop("7", "Plaça", TO)
    feed.stop("8", "Font", FROM)
    feed.line("1", "L1", "Line")
    feed.trip("t", "1", ("8", 3600), ("7", 7200))
    maps = routes.stage.directory / "maps"
    archive = feed.write(routes.stage.directory / "feed.zip")
    subprocess.run([PACECTL, "transit", "import", archive, "--maps-dir", maps], check=True, timeout=60)
    done = routes.route("--to", "stop:7", "--load", "1", "--maps-dir", maps)
    assert done.returncode == 0, done.stderr
    assert RouteEngine.places(routes.engine.requests[0].parameters)[1] == pytest.approx([TO[1], TO[0]], abs=1e-6)
    assert routes.daemon.call("course.list")[0]["name"] == "Route to Plaça"
    for destination, directory, message in [
            ("stop:9", maps, "no stop has the ID '9'"), ("stop:7", maps / "none", "pacectl transit import")]:
        done = routes.route("--to", destination, "--maps-dir", directory)
        assert done.returncode == 1 and message in done.stderr and done.stdout == ""


@pytest.mark.thorough
def test_route_comes_in_pieces(routes):
    routes.engine.reply = lambda request: brouter_answer(straight(FROM, TO, count=4000, altitudes=lambda part: 40 + math.sin(part * 900)))
    found = routes.find()
    data = b""
    while True:
        piece = routes.net.call("route.course", search=found["search"], route=0, offset=len(data))
        data += base64.b64decode(piece["data"])
        if len(data) == piece["bytes"]:
            break
    lines = [json.loads(line) for line in data.splitlines()]
    assert lines[0]["format"] == "paced-course" and lines[-1]["vertices"] == len(lines) - 2 - lines[-1]["points"] > 1000
    for wrong, code in [({"search": 99, "route": 0}, -32003), ({"search": found["search"], "route": 9}, -32003),
                        ({"search": found["search"], "route": 0, "offset": 1 << 30}, -32004), ({"route": 0}, -32602),
                        ({"search": -1, "route": 0}, -32004)]:
        assert routes.net.call("route.course", **wrong)["code"] == code


@pytest.mark.parametrize("words, error", matrix([
    ([], "route needs a destination"), (["--to", "91,0"], "--to needs a position"), (["--to", ""], "--to needs a position"),
    (["--loop", "5"], "--loop needs a length from 500m to 200km"), (["--loop", "400m"], "--loop needs a length"),
    (["--loop", "5km", "--to", "1,1"], "use one of them"), (["--loop", "5km", "--follow"], "--via and --follow belong to --to"),
    (["--to", "1,1", *["--via", "1,1"] * 9], "at most 8 places"),
    (["--from", "here", "--to", "1,1"], "--from needs a position"),
    (["--to", "1,1", "--profile", "fly"], "--profile needs one of walk, run, ride"),
    (["--to", "1,1", "--load", "0"], "--load needs the number of a route from 1 to 32"), (["--to", "1,1", "x"], "unexpected argument 'x'"),
], []))
def test_wrong_arguments_are_named(words, error):
    done = subprocess.run([PACECTL, "route", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and error in done.stderr


@pytest.mark.parametrize("parameters, code", matrix([
    ({"profile": "fly"}, -32004), ({"to": 1}, -32004), ({"to": {"lat": "1", "lon": 1}}, -32004), ({"engine": "ftp://x"}, -32004),
    ({"engine": 1}, -32004), ({"more": 1}, -32602), ({"to": None}, -32004), ({"length_m": 5000}, -32602), ({"via": 1}, -32004),
    ({"via": [{"lat": 1, "lon": 1}] * 9}, -32004), ({"via": [{"lat": 1}]}, -32004), ({"length_m": 499, "to": ...}, -32004),
    ({"length_m": 5000, "to": ..., "via": [{"lat": 1, "lon": 1}]}, -32602), ({"to": ...}, -32602),
], {"profile": "fly"}))
def test_wrong_parameters_are_rejected(routes, parameters, code):
    request = {"to": {"lat": TO[0], "lon": TO[1]}, "profile": "walk"} | parameters
    # An ellipsis leaves the parameter out.
    request = {name: value for name, value in request.items() if value is not ...}
    assert routes.net.call("route.find", **request)["code"] == code
    assert routes.engine.requests == []


@pytest.mark.thorough
def test_user_and_password_of_an_address_are_not_shown(routes):
    done = routes.route("--to", text(TO), "--engine", f"http://user:secret@{routes.engine.name}")
    assert done.returncode == 0 and f"at {routes.engine.name}." in done.stdout
    assert "secret" not in done.stdout + done.stderr + routes.net.log_text()


@pytest.mark.thorough
def test_follow_keeps_a_course_that_was_in_the_list(routes):
    def reply(request):
        start, end = RouteEngine.places(request.parameters)
        return brouter_answer(straight(tuple(reversed(start)), tuple(reversed(end))))
    routes.engine.reply = reply
    assert routes.route("--from", text(FROM), "--to", text(TO), "--load", "1").returncode == 0
    own, = routes.daemon.call("course.list")
    with subprocess.Popen(routes.command("--from", text(FROM), "--to", text(TO), "--follow"), stdout=subprocess.DEVNULL) as follower:
        try:
            routes.daemon.call("run.start")
            routes.gpsd.place = (FROM[0] - 0.003, FROM[1] + 0.003)
            wait_for(lambda: len(routes.daemon.call("course.list")) == 2, 120, "a second course")
            assert own["id"] in [one["id"] for one in routes.daemon.call("course.list")]
        finally:
            follower.kill()


@pytest.mark.thorough
def test_follow_asks_again_after_leaving_the_route(routes):
    asked = []

    def reply(request):
        start, end = RouteEngine.places(request.parameters)
        asked.append(tuple(reversed(start)))
        return brouter_answer(straight(tuple(reversed(start)), tuple(reversed(end))))
    routes.engine.reply = reply
    routes.daemon.call("run.start")
    with subprocess.Popen(routes.command("--to", text(TO), "--follow"), stdout=subprocess.PIPE, text=True) as follower:
        try:
            first = wait_for(lambda: [one for one in routes.daemon.call("course.list") if one.get("loaded")], 60, "a course")[0]
            count = len(asked)
            # 300 m beside the route.
            away = (FROM[0] - 0.003, FROM[1] + 0.003)
            left = boot_ms()
            routes.gpsd.place = away
            wait_for(lambda: len(asked) > count, 120, "another question")
            assert boot_ms() - left > 19_000
            assert asked[-1] == pytest.approx(away, abs=1e-4)
            second = wait_for(
                lambda: [one for one in routes.daemon.call("course.list") if one.get("loaded") and one["id"] != first["id"]],
                60, "another course")[0]
            wait_for(lambda: [one["id"] for one in routes.daemon.call("course.list")] == [second["id"]], 60, "the old course gone")
            routes.gpsd.place = TO
            routes.daemon.call("course.unload")
            assert follower.wait(120) == 0
            assert "the route is no longer followed" in follower.stdout.read()
        finally:
            follower.kill()
