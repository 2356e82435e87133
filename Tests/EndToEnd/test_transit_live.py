"""Public transport in `paced-net`: live data in the topic `transit`, answers on net.sock, and notices."""

import datetime
import json
import random
import re
import struct
import xml.etree.ElementTree

import pytest
from google.transit import gtfs_realtime_pb2 as realtime

from harness.gtfs import AGENCY, METRES, Feed
from harness.maps import MapsCommand
from harness.paced_net import PacedNet, StandingGpsd, SteppedNet
from harness.process import ROOT
from harness.timing import wait_for
from harness.weather_server import WeatherServer, response, sends
from matrix import matrix
from test_transit import fill
from test_weather_sins import SINS

HERE = (52.5, 13.4)
HOME = (52.573471, 13.412853)
UTC = datetime.timezone.utc
TRIP = realtime.TripDescriptor


def north(metres):
    return HERE[0] + metres / METRES, HERE[1]


def text(place):
    return f"{place[0]},{place[1]}"


class TransitServer(WeatherServer):
    """Gives `bodies` by the last part of the path: bytes, or what becomes JSON, or a function that makes one of them."""

    def __init__(self):
        self.bodies = {}
        super().__init__()

    def address_of(self, *names):
        return " ".join(f"http://{self.name}/{name}" for name in names)

    def answer(self, request):
        body = self.bodies.get(request.name)
        body = body() if callable(body) else body
        if body is None:
            return response(404)
        return response(200, body if isinstance(body, bytes) else json.dumps(body))


class LiveFixture(SteppedNet):
    """A daemon with a position, a timetable that begins now, and a server of live data; then, `paced-net`.

    Line A goes from Market, 100 m from here, by Bridge to Station. Trips a5, a25 and a45 leave 5, 25 and 45 minutes
    after `start`, a moment of the early afternoon in the agency's zone.
    """

    def __init__(self, stage):
        self.stage = stage
        self.maps = MapsCommand("transit", stage.directory)
        self.server = stage.keep(TransitServer())
        self.gpsd = stage.keep(StandingGpsd(HERE))
        self.daemon = stage.paced("--gpsd", self.gpsd.option, "--sensors", "off")
        wait_for(lambda: "position" in self.daemon.call("status"), 60, "a position")
        self.environment = self.step_environment()
        self.passed = 0
        self.start = datetime.datetime.now(UTC).replace(microsecond=0)
        hours = 12 - self.start.hour
        self.zone = datetime.timezone(datetime.timedelta(hours=hours))
        self.zone_name = f"Etc/GMT{-hours:+}" if hours else "UTC"
        self.feed = self.made_feed()

    # The timetable

    def made_feed(self, *minutes):
        today = self.start.astimezone(self.zone)
        days = [f"{today + datetime.timedelta(days=days):%Y%m%d}" for days in (-1, 2)]
        feed = Feed(zone=self.zone_name, days=days)
        for name, title, place in [("s0", "Market", north(100)), ("s1", "Bridge", north(2000)), ("s2", "Station", north(4000)),
                                   ("h", "Home", (52.5716, 13.4098))]:
            feed.stop(name, title, place)
        feed.line("10", "A", "Airport", "FF8000")
        feed.line("20", "B", "Beach")
        for minute in minutes or (5, 25, 45):
            self.add_trip(feed, minute)
        return feed

    def add_trip(self, feed, minute):
        start = self.seconds(minute)
        stops = [("s0", start), ("s1", start + 300), ("s2", start + 600), ("h", start + 1200)]
        feed.trip(f"a{minute}", "10", *stops, headsign="Home", bikes=1)

    def seconds(self, minute):
        """Returns the time `minute` minutes after the start, in seconds of the service day."""
        local = self.start.astimezone(self.zone)
        return local.hour * 3600 + local.minute * 60 + local.second + minute * 60

    def import_feed(self, feed=None):
        self.maps("import", (feed or self.feed).write(self.stage.directory / "feed.zip"))

    def time(self, minute):
        """Returns the time `minute` minutes after the start, as the topic writes it."""
        return f"{self.start + datetime.timedelta(minutes=minute):%Y-%m-%dT%H:%M:%S}"

    # Live data

    def now(self):
        return int(datetime.datetime.now(UTC).timestamp()) + self.passed

    def message(self, name, age=0):
        """A new feed, which the server gives by this name."""
        message = realtime.FeedMessage()
        message.header.gtfs_realtime_version = "2.0"

        def body():
            message.header.timestamp = self.now() - age
            return message.SerializeToString()
        self.server.bodies[name] = body
        return message

    def add_update(self, message, trip, delay=None, relationship=None):
        """An update of a trip of today, with a delay at its first stop."""
        update = message.entity.add(id=f"u{trip}").trip_update
        update.trip.trip_id, update.trip.start_date = trip, f"{self.start.astimezone(self.zone):%Y%m%d}"
        if relationship:
            update.trip.schedule_relationship = relationship
        if delay is not None:
            update.stop_time_update.add(stop_sequence=1).departure.delay = delay
        return update

    def add_vehicle(self, message, name, place, trip=None, line=None):
        vehicle = message.entity.add(id=f"v{name}").vehicle
        vehicle.vehicle.id = name
        vehicle.position.latitude, vehicle.position.longitude = place
        if trip:
            vehicle.trip.trip_id = trip
        if line:
            vehicle.trip.route_id = line
        return vehicle

    # The programs

    def start_net(self, *feeds, configuration="Lines=A\nStops=s0,s1", mode=0o640):
        names = f"Feeds={self.server.address_of(*feeds)}\n" if feeds else ""
        net = PacedNet(
            self.stage.directory, self.daemon.runtime, "--maps-dir", self.maps.maps,
            configuration="[Network]\nTimeoutSec=8\n[Weather]\nServer=off\n[Routes]\nEngine=off\n"
                          f"[Transit]\nRefreshSec=15\n{names}{configuration}\n",
            **self.environment)
        (self.stage.directory / "paced-net.conf").chmod(mode)
        self.net = self.stage.start(net)
        return self.net

    def watch(self):
        return self.stage.reader(self.daemon, topics=["transit"])

    def data(self, reader, condition=lambda data: True, since=0):
        """The first data of the topic that meets the condition."""
        def matches(line):
            return line["class"] == "DATA" and "data" in line and condition(line["data"])
        return reader.wait("data of transit", matches, 60, since)["data"]

    def departures(self, *stops):
        return self.net.call("transit.departures", stops=stops or ["s0"])

    def pass_time(self, seconds):
        """Sets the clock of paced-net forward, and has it fetch if its data is old then."""
        self.passed += seconds
        self.step(self.passed)
        return self.departures()

    def notices(self, reader):
        return [line for line in reader.of("EVENT") if line.get("event") == "notice"]

    def everything(self, *readers):
        """All bytes below the directories of the programs, and all lines that the readers received."""
        texts = {"lines": b"".join(line.text for reader in readers for line in reader.lines)}
        for path in self.stage.directory.rglob("*"):
            if path.is_file() and path.name not in ("paced-net.conf", "feed.zip"):
                texts[str(path)] = path.read_bytes()
        return texts


@pytest.fixture
def live(stage):
    return LiveFixture(stage)


@pytest.fixture
def watched(live):
    """Vehicles and updates of line A, fetched for a subscriber."""
    live.import_feed()
    live.vehicles, live.updates = live.message("vehicles.pb"), live.message("trips.pb")
    live.start_net("vehicles.pb", "trips.pb")
    return live


# The topic

def test_topic_has_the_vehicles_of_the_lines_nearest_first(watched):
    far = watched.add_vehicle(watched.vehicles, "101", north(3000), trip="a5")
    far.position.bearing, far.position.speed = 90, 8.25
    far.occupancy_status = realtime.VehiclePosition.FEW_SEATS_AVAILABLE
    far.timestamp = watched.now() - 5
    near = watched.add_vehicle(watched.vehicles, "102", north(-900), trip="a25", line="10")
    near.vehicle.label = "Bus 102"
    watched.add_vehicle(watched.vehicles, "103", north(10), line="20")
    watched.add_vehicle(watched.vehicles, "104", north(20))
    watched.add_vehicle(watched.vehicles, "105", (0, 0), line="10")
    watched.add_update(watched.updates, "a5", delay=240)
    watched.add_update(watched.updates, "a25", delay=30)
    line = watched.watch().wait("data", lambda line: line["class"] == "DATA" and "data" in line, 60)
    data = line["data"]
    assert (line["topic"], line["source"], line["stale"]) == ("transit", "paced-net", False)
    assert data["live"] is True and "reason" not in data and data["agency"] == AGENCY
    assert [vehicle["id"] for vehicle in data["vehicles"]] == ["Bus 102", "101"]
    first, second = data["vehicles"]
    assert (second["line"], second["code"], second["color"]) == ("10", "A", "#FF8000")
    assert (second["bearing_deg"], second["speed_mps"], second["occupancy"]) == (90, 8.2, "few-seats")
    assert (second["punctuality"], first["punctuality"]) == ("late", "on-time")
    assert second["latitude"] == pytest.approx(north(3000)[0], abs=1e-5) and "observed" in second


def test_topic_has_departures_with_delays_and_cancellations(watched):
    watched.add_update(watched.updates, "a5", delay=300)
    watched.add_update(watched.updates, "a25", relationship=TRIP.CANCELED)
    skipping = watched.add_update(watched.updates, "a45", delay=60)
    skipping.stop_time_update.add(stop_sequence=2).schedule_relationship = skipping.StopTimeUpdate.SKIPPED
    added = watched.add_update(watched.updates, "extra", relationship=TRIP.ADDED)
    added.trip.route_id = "10"
    for stop, minute in [("s0", 15), ("s1", 18)]:
        added.stop_time_update.add(stop_id=stop).departure.time = int(watched.start.timestamp()) + minute * 60
    data = watched.data(watched.watch())
    rows = [(one["stop"], one["departure"][:19], one.get("scheduled", "")[:19], one["live"], one.get("canceled", False))
            for one in data["departures"] if one["departure"] < watched.time(60)]
    expected = [
        ("s0", 10, 5, True, False), ("s0", 15, 15, True, False), ("s1", 15, 10, True, False), ("s0", 25, 25, False, True),
        ("s1", 30, 30, False, True), ("s0", 46, 45, True, False), ("s1", 51, 50, True, True)]
    assert rows == [(stop, watched.time(one), watched.time(two), *rest) for stop, one, two, *rest in expected]
    assert data["departures"][0] | {"departure": "", "scheduled": ""} == {
        "line": "10", "code": "A", "color": "#FF8000", "headsign": "Home", "stop": "s0", "stop_name": "Market",
        "departure": "", "scheduled": "", "live": True}


def test_topic_has_the_alerts_that_hold_now(watched):
    def alert(title, *informed, start=0, end=0):
        one = watched.updates.entity.add(id=title).alert
        one.header_text.translation.add(text=title, language="en")
        one.description_text.translation.add(text="word " * 40, language="en")
        one.active_period.add(start=start, end=end)
        for fields in informed or [{"agency_id": "1"}]:
            one.informed_entity.add(**fields)

    now = watched.now()
    alert("all")
    alert("line", {"route_id": "10"}, {"stop_id": "s9"}, end=now + 900)
    alert("stop", {"stop_id": "s1"}, start=now - 900)
    alert("over", end=now - 60)
    alert("later", start=now + 900)
    alert("other", {"route_id": "20"})
    alerts = watched.data(watched.watch())["alerts"]
    assert [one["title"] for one in alerts] == ["all", "line", "stop"]
    assert (alerts[1]["lines"], alerts[1]["stops"]) == (["10"], ["s9"])
    assert " ".join(alerts[0]["text"]) == ("word " * 40).strip() and all(len(line) <= 64 for line in alerts[0]["text"])


def test_old_feed_is_not_live(live):
    live.import_feed()
    live.add_update(live.message("trips.pb", age=600), "a5", delay=300)
    live.add_vehicle(live.message("vehicles.pb", age=600), "101", north(900), line="10")
    live.start_net("trips.pb", "vehicles.pb")
    data = live.data(live.watch())
    assert data["live"] is False and data["vehicles"] == []
    assert data["departures"][0]["departure"] == data["departures"][0]["scheduled"]
    assert data["departures"][0]["live"] is False
    answer = live.departures()
    assert answer["live"] is False and not answer["departures"][0]["live"]
    assert all(re.fullmatch(r"the live data is 6\d\d s old", reason) for reason in (data["reason"], answer["reason"]))


@pytest.mark.thorough
def test_data_gets_old_while_the_server_is_silent(watched):
    watched.add_update(watched.updates, "a5", delay=300)
    reader = watched.watch()
    assert watched.data(reader)["live"] is True
    watched.server.play(sends(response(500)), "trips.pb", "vehicles.pb")
    assert watched.pass_time(60)["live"] is True
    answer = watched.pass_time(60)
    assert answer["live"] is False and answer["reason"] == f"{watched.server.name} has an error (500)"
    assert watched.data(reader, lambda data: not data["live"])["reason"] == answer["reason"]


@pytest.mark.thorough
def test_configuration_without_live_data_gives_the_timetable(live):
    live.import_feed()
    live.start_net()
    data = live.data(live.watch())
    assert data["live"] is False and data["reason"] == "no live data is configured in paced-net.conf"
    assert data["departures"][0]["departure"][:19] == live.time(5)


def test_missing_timetable_has_its_reason_until_an_import(live):
    live.add_vehicle(live.message("vehicles.pb"), "101", north(900), line="10")
    live.start_net("vehicles.pb")
    reader = live.watch()
    assert live.data(reader)["departures"] == []
    assert "import one with 'pacectl transit import GTFS.zip'" in live.departures()["data"]["message"]
    wait_for(lambda: "there is no timetable in" in live.net.log_text(), 60, "a warning")
    live.import_feed()
    answer = live.pass_time(20)
    assert answer["agency"] == AGENCY and answer["departures"]
    assert live.data(reader, lambda data: data["departures"])["vehicles"][0]["code"] == "A"
    assert live.net.log_text().count("there is no timetable") == 1


@pytest.mark.thorough
def test_damaged_timetable_has_its_reason(live):
    live.import_feed()
    (live.maps.maps / "transit.db").write_bytes(b"no timetable" * 999)
    live.message("vehicles.pb")
    live.start_net("vehicles.pb")
    live.data(live.watch())
    assert "transit.db" in live.departures()["data"]["message"]
    assert "transit.db" in live.net.log_text() and live.net.process.poll() is None


@pytest.mark.thorough
def test_imported_timetable_is_used_at_once(watched):
    watched.add_update(watched.updates, "a5", delay=600)
    reader = watched.watch()
    watched.data(reader)
    feed = watched.made_feed(2, 5, 25)
    feed.tables["agency.txt"][1][0] = "Other Transit"
    watched.import_feed(feed)
    # Before the next refresh, no other trip has the delay.
    answer = watched.departures()
    assert answer["agency"] == "Other Transit"
    delayed = {datetime.datetime.fromisoformat(one["scheduled"]) for one in answer["departures"] if one["live"]}
    assert delayed <= {watched.start + datetime.timedelta(minutes=5)}
    watched.pass_time(20)
    data = watched.data(reader, lambda data: data["agency"] == "Other Transit")
    delayed = [one for one in data["departures"] if one["live"] and one["stop"] == "s0"]
    assert [one["scheduled"][:19] for one in delayed] == [watched.time(5)]


# Demand

def position_is_known(live):
    wait_for(lambda: "no position" not in str(live.net.call("weather.at")), 60, "a position")


def test_server_is_asked_only_while_somebody_uses_the_data(watched):
    position_is_known(watched)
    other = watched.stage.reader(watched.daemon, classes=["STATE"])
    assert watched.server.requests == []
    reader = watched.watch()
    watched.data(reader)
    assert watched.server.count() == 2
    reader = watched.watch_again(reader)
    watched.data(reader)
    wait_for(lambda: watched.server.count() == 4, 60, "requests for a new watcher")
    watched.unwatch(reader)
    # After two answers paced-net has read what the daemon had sent.
    for _ in range(2):
        watched.net.call("rpc.discover")
    watched.passed += 200
    watched.step(watched.passed)
    # A line of the state wakes paced-net.
    watched.daemon.call("run.start", indoor=True)
    other.wait("an indoor run", lambda line: line.get("run") == "active", 60)
    assert watched.net.call("rpc.discover")["openrpc"] and watched.server.count() == 4
    watched.daemon.call("run.stop")
    watched.daemon.call("run.start")
    wait_for(lambda: watched.server.count() == 6, 60, "requests for a run outdoors")


@pytest.mark.thorough
def test_run_without_lines_asks_nobody(live):
    live.import_feed()
    live.message("vehicles.pb")
    live.start_net("vehicles.pb", configuration="Stops=s0")
    position_is_known(live)
    reader = live.stage.reader(live.daemon, classes=["STATE"])
    live.daemon.call("run.start")
    reader.wait("a run", lambda line: line.get("run") == "active", 60)
    assert live.net.call("rpc.discover")["openrpc"] and live.server.requests == []


def test_requests_name_no_place(watched):
    watched.watch()
    wait_for(lambda: watched.server.count() == 2, 60, "requests")
    for request in watched.server.requests:
        assert request.method == "GET" and request.parameters == {} and "cookie" not in request.headers
        assert request.headers["user-agent"].startswith("paced-net/")


# What servers do wrong

@pytest.fixture(scope="module")
def sinned(long_stage):
    """A `paced-net` that the tests of sins share. Each begins and ends with live data."""
    live = LiveFixture(long_stage)
    # The tests pass hours.
    live.import_feed(live.made_feed(600))
    live.add_update(live.message("trips.pb"), "a600", delay=300)
    live.start_net("trips.pb")
    live.reader = live.watch()
    live.data(live.reader)
    return live


def check_sin(live, sin, part):
    """The sin has its reason in the topic and in an answer, with the times of the timetable, and is forgiven."""
    live.server.play(sin, "trips.pb")
    since = len(live.reader.lines)
    answer = live.pass_time(100)
    live.server.heal()
    assert answer["live"] is False and answer["reason"].startswith(part.format(host=live.server.name)[:64])
    assert answer["departures"][0]["live"] is False
    data = live.data(live.reader, lambda data: not data["live"], since)
    assert data["reason"] == answer["reason"] and data["departures"][0]["live"] is False
    for _ in range(20):
        if (healed := live.pass_time(20))["live"]:
            break
    assert healed["live"] and healed["departures"][0]["live"] is True
    assert live.data(live.reader, lambda data: data["live"], since)
    assert "rejects a line" not in live.net.log_text()
    assert live.net.process.poll() is None and live.daemon.process.poll() is None


@pytest.mark.parametrize("sin", matrix(SINS, "200 of a captive portal"))
def test_sin_of_a_server_has_its_reason_and_is_forgiven(sinned, sin):
    data, part = SINS[sin]
    check_sin(sinned, sends(data), part)


def half_feed(extra=b""):
    """The start of a feed, and more bytes."""
    message = realtime.FeedMessage()
    message.header.gtfs_realtime_version = "2.0"
    message.entity.add(id="a").trip_update.trip.trip_id = "a600"
    data = message.SerializeToString()
    return data + extra if extra else data[:-3]


OTHER_SINS = {
    "204": response(204, content_length=None), "a page as a feed": response(200, b"<!DOCTYPE html><p>no feed"),
    "half a feed": response(200, half_feed()), "a feed and more": response(200, half_feed(extra=b"\xff" * 9)),
    "no header": response(200, b"\x12\x03\n\x01a"), "zeros": response(200, bytes(5000)),
    "an endless length": response(200, b"\n\xff\xff\xff\xff\xff\xff\xff\xff\x7f"),
    "groups in groups": response(200, b"\n\x05\n\x032.0" + b"\x1b" * 50_000),
}


@pytest.mark.parametrize("sin", matrix(OTHER_SINS, "half a feed"))
def test_what_is_no_feed_has_its_reason(sinned, sin):
    check_sin(sinned, sends(OTHER_SINS[sin]), "login page? {host} sends something else")


@pytest.mark.thorough
@pytest.mark.parametrize("sin", ["drip", "hang"])
def test_feed_without_end_is_given_up(sinned, sin):
    check_sin(sinned, getattr(sinned.server, sin), "{host} does not respond in time")


@pytest.mark.thorough
def test_feed_of_100_mb_is_given_up_at_4_mib(sinned):
    check_sin(sinned, sinned.server.flood, "the response of {host} is too long")
    assert sinned.net.kernel_status("VmHWM") < 64 * 1024


@pytest.mark.thorough
def test_retry_after_is_respected(sinned):
    sinned.server.play(sends(response(429, retry_after=300)), "trips.pb")
    assert sinned.pass_time(100)["live"] is False
    sinned.server.heal()
    asked = sinned.server.count()
    assert sinned.pass_time(100)["reason"] == f"{sinned.server.name} limits requests (429)"
    assert sinned.server.count() == asked
    assert sinned.pass_time(220)["live"] is True


@pytest.mark.thorough
def test_refused_connection_has_its_reason(live):
    live.import_feed()
    live.message("trips.pb")
    live.start_net("trips.pb")
    assert live.departures()["live"] is True
    live.server.end()
    answer = live.pass_time(100)
    assert (answer["live"], answer["reason"]) == (False, f"cannot connect to {live.server.name}")


@pytest.mark.thorough
def test_wrong_feed_does_not_stop_the_others_of_its_server(live):
    live.import_feed()
    live.add_vehicle(live.message("vehicles.pb"), "101", north(900), line="10")
    live.start_net("gone.pb", "vehicles.pb")
    data = live.data(live.watch())
    assert data["live"] is True and [vehicle["id"] for vehicle in data["vehicles"]] == ["101"]


@pytest.mark.thorough
def test_feed_of_the_future_does_not_stop_the_others(live):
    live.import_feed()
    live.message("trips.pb", age=-900)
    live.add_vehicle(live.message("vehicles.pb"), "101", north(900), line="10")
    live.start_net("trips.pb", "vehicles.pb")
    data = live.data(live.watch())
    assert data["live"] is True and [vehicle["id"] for vehicle in data["vehicles"]] == ["101"]


@pytest.mark.thorough
def test_largest_feed_gives_a_line_that_fits(watched):
    for number in range(700):
        vehicle = watched.add_vehicle(watched.vehicles, "\U0001f68c" * 250, north(100 + number), trip="a5")
        vehicle.vehicle.label = f"{number} " + "\U0001f68c" * 250
    for number in range(300):
        alert = watched.updates.entity.add(id=f"{number}").alert
        alert.header_text.translation.add(text="\u20ac" * 900)
        alert.description_text.translation.add(text="\u20ac " * 900)
        alert.informed_entity.add(route_id="10")
    line = watched.watch().wait("data", lambda line: line["class"] == "DATA" and "data" in line, 60)
    assert len(line.text) < 40_000 and len(line["data"]["alerts"]) == 8
    assert [vehicle["id"].split()[0] for vehicle in line["data"]["vehicles"]][:3] == ["0", "1", "2"]


@pytest.mark.thorough
def test_real_vehicles_are_on_the_line_of_their_trips(live):
    message = realtime.FeedMessage.FromString((ROOT / "Tests/Data/gtfs_rt/metrotransit-vehiclePositions.pb").read_bytes())
    ids = {entity.vehicle.vehicle.label or entity.vehicle.vehicle.id for entity in message.entity}
    for entity in message.entity:
        entity.vehicle.trip.ClearField("route_id")
    message.header.timestamp = live.now()
    live.server.bodies["vehicles.pb"] = message.SerializeToString()
    live.maps("import", ROOT / "Tests/Data/transit/metrotransit-gtfs.zip")
    live.start_net("vehicles.pb", configuration="Lines=2")
    vehicles = live.data(live.watch())["vehicles"]
    assert {vehicle["id"] for vehicle in vehicles} == ids and {vehicle["line"] for vehicle in vehicles} == {"2-110"}
    paths = live.net.call("transit.path", line="2-110")["paths"]
    assert len(paths) == 6 and all(len(path) > 40 for path in paths)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(4))
def test_feed_of_random_fields_gives_lines_that_the_daemon_accepts(sinned, seed):
    dice = random.Random(seed)
    usual = sinned.server.bodies["trips.pb"]
    message = sinned.message("trips.pb")
    for number in range(300):
        entity = message.entity.add()
        fill(entity, dice)
        entity.is_deleted = False
        entity.trip_update.trip.trip_id = dice.choice(["a600", "x"])
        entity.vehicle.trip.route_id = "10"
        entity.vehicle.position.latitude, entity.vehicle.position.longitude = north(dice.uniform(-5000, 5000))
        entity.id = f"{number}"
    since = len(sinned.reader.lines)
    assert sinned.pass_time(20)["live"] is True
    data = sinned.data(sinned.reader, lambda data: data["vehicles"], since)
    assert len(data["vehicles"]) > 10 and "rejects a line" not in sinned.net.log_text()
    sinned.server.bodies["trips.pb"] = usual
    sinned.pass_time(100)


# pacectl

def test_live_departures_are_shown(watched):
    watched.add_update(watched.updates, "a5", delay=300)
    words = ["departures", "Market", "--limit", "2", "--net-dir", watched.net.runtime]
    shown = watched.maps(*words).splitlines()
    local = [f"{watched.start.astimezone(watched.zone) + datetime.timedelta(minutes=minute):%-H:%M}" for minute in (5, 10, 25)]
    head, *rows = [row.split() for row in shown[:3]]
    assert head == ["IN", "TIME", "PLAN", "LINE", "TO", "STOP", "BIKES", "NOTE"]
    assert [row[1:] for row in rows] == [
        ["min", local[1], local[0], "A", "Home", "Market", "yes", "live"],
        ["min", local[2], "A", "Home", "Market", "yes"]]
    assert int(rows[0][0]) in range(8, 11) and int(rows[1][0]) in range(22, 26)
    assert shown[3].startswith(f"{AGENCY}, live data of ")
    assert watched.server.count("trips.pb") == 1
    at = f"{datetime.datetime.now(watched.zone):%Y-%m-%d %H:%M}"
    assert "by the timetable: live data is for now only" in watched.maps(*words, "--time", at)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["A", "10", "Airport"])
def test_line_of_live_departures_has_any_of_its_names(watched, name):
    words = ["departures", "Market", "--line", name, "--net-dir", watched.net.runtime]
    assert "live data of" in watched.maps(*words)


def test_way_home_is_live_and_needs_no_home_of_its_own(watched):
    watched.net.stop()
    watched.start_net("vehicles.pb", "trips.pb", configuration=f"Home={text(HOME)}")
    position_is_known(watched)
    watched.add_update(watched.updates, "a5", delay=300)
    shown = watched.maps("next-home", "--limit", "1", "--net-dir", watched.net.runtime)
    local = watched.start.astimezone(watched.zone)
    assert f"  {local + datetime.timedelta(minutes=10):%-H:%M} line A to Home" in shown
    assert f"planned {local + datetime.timedelta(minutes=5):%-H:%M}, live, bikes yes" in shown
    assert f"{AGENCY}, live data of" in shown


def test_way_home_without_a_home_says_what_to_do(watched):
    position_is_known(watched)
    error = watched.maps.refused("next-home", "--net-dir", watched.net.runtime)
    assert "Home= in paced-net.conf" in error and "--home LAT,LON" in error


@pytest.mark.thorough
@pytest.mark.parametrize("method, parameters, code", [
    ("transit.departures", {}, -32602), ("transit.departures", {"stops": []}, -32602),
    ("transit.departures", {"stops": ["s0"] * 65}, -32004), ("transit.departures", {"stops": [1]}, -32004),
    ("transit.departures", {"stops": ["s0"], "limit": 0}, -32004), ("transit.departures", {"stops": ["s0"], "more": 1}, -32602),
    ("transit.home", {"home": [1, 2]}, -32004), ("transit.home", {"home": {"lat": 91, "lon": 0}}, -32004),
    ("transit.home", {"within_m": 1}, -32004), ("transit.home", {"walking_mps": "fast"}, -32004),
    ("transit.home", {"bikes": 1}, -32004), ("transit.path", {}, -32602), ("transit.path", {"line": ""}, -32602),
    ("transit.path", {"line": "none"}, -32003),
])
def test_wrong_parameters_are_rejected(sinned, method, parameters, code):
    assert sinned.net.call(method, **parameters)["code"] == code


@pytest.mark.thorough
def test_unknown_stop_is_named(sinned):
    assert "nowhere" in sinned.departures("nowhere")["data"]["message"]


# Privacy

def digits(place):
    """What of a place would show it: its decimals, and its bytes as floating-point numbers."""
    for degrees in place:
        yield f"{degrees:.4f}".encode()[:-1]
        yield f"{degrees * 1e7:.0f}".encode()[:-3]
        for form in ("<d", ">d", "<f", ">f"):
            yield struct.pack(form, degrees)


def test_home_is_nowhere_but_in_the_configuration(watched):
    watched.net.stop()
    watched.start_net("vehicles.pb", "trips.pb", configuration=f"Lines=A\nStops=s0\nHome={text(HOME)}\nLastBusMin=240")
    reader = watched.stage.reader(watched.daemon, topics=["transit"], classes=["STATE", "EVENT", "FIX", "SETTINGS"])
    watched.data(reader)
    watched.daemon.call("run.start")
    reader.wait("a notice", lambda line: line.get("event") == "notice", 60)
    answers = [watched.net.call("transit.home"), watched.net.call("rpc.discover"), watched.daemon.call("settings.get"),
               watched.daemon.call("status")]
    assert answers[0]["journeys"]
    found = watched.everything(reader) | {"answers": json.dumps(answers).encode()}
    requests = "".join(request.target + str(request.headers) for request in watched.server.requests)
    found["requests"] = requests.encode()
    for part in digits(HOME):
        assert not [name for name, content in found.items() if part in content], part
    watched.net.stop()
    assert not any(part in watched.net.log.read_bytes() for part in digits(HOME))


@pytest.mark.thorough
@pytest.mark.parametrize("mode, warns", [(0o644, True), (0o640, False)])
def test_readable_home_is_a_warning(live, mode, warns):
    live.import_feed()
    live.start_net(configuration=f"Home={text(HOME)}", mode=mode)
    assert ("has your home and every user can read it" in live.net.log_text()) is warns


# InfoPoint

DRIVER = "Qwxyzdriver"


def date(time):
    return f"/Date({int(time.timestamp() * 1000)}-0500)/"


def info_vehicle(name, place, **fields):
    return {"VehicleId": 7, "Name": name, "RouteId": 43, "TripId": 9, "Latitude": place[0], "Longitude": place[1],
            "Heading": 270, "Speed": 20, "OnBoard": 12, "DisplayStatus": "Late", "DirectionLong": "Outbound",
            "DriverName": DRIVER, "DriverFirstName": DRIVER, "DriverLastName": DRIVER, "Driver": {"Name": DRIVER},
            "LastUpdated": date(datetime.datetime.now(UTC))} | fields


def serve_info_point(live):
    now = datetime.datetime.now(UTC)
    line = {"RouteId": 43, "ShortName": "V", "LongName": "Vairo Blvd", "Color": "990099", "RouteTraceFilename": "Route43.kml",
            "Stops": [{"StopId": 5, "Name": "Main Street", "Latitude": north(100)[0], "Longitude": HERE[1]}],
            "Vehicles": [info_vehicle("A17", north(300))]}
    departures = [{"SDT": date(now + datetime.timedelta(minutes=5)), "EDT": date(now + datetime.timedelta(minutes=7)),
                   "Trip": {"TripId": 9, "DriverName": DRIVER}},
                  {"SDT": date(now - datetime.timedelta(minutes=5)), "EDT": date(now - datetime.timedelta(minutes=4))},
                  {"NextDeparture": "Due"}]
    live.server.bodies |= {
        "GetVisibleRoutes": [line], "43": line,
        "GetAllVehiclesForRoutes": [info_vehicle("A17", north(800)), info_vehicle("B2", north(-2000), DisplayStatus="On Time")],
        "5": [{"StopId": 5, "RouteDirections": [{"RouteId": 43, "Direction": "Outbound", "Departures": departures}]}],
        "GetCurrentMessages": [{
            "MessageId": 1, "Header": "Detour", "Message": "Detour on Main Street", "Routes": [43],
            "FromDate": date(now - datetime.timedelta(days=1)), "ToDate": date(now + datetime.timedelta(days=1))}],
        "Route43.kml": (ROOT / "Tests/Data/kml/linestring.kml").read_bytes()}


@pytest.fixture
def info(live):
    """A server with InfoPoint that names its drivers."""
    serve_info_point(live)
    live.start_net(configuration=f"InfoPoint={live.server.address_of('InfoPoint')}\nLines=V\nStops=5")
    return live


def test_infopoint_gives_vehicles_departures_and_messages(info):
    reader = info.watch()
    info.data(reader)
    # The IDs of lines are known from the first response on.
    info.pass_time(20)
    data = info.data(reader, lambda data: data["vehicles"])
    assert data["live"] is True and "agency" not in data and data["lines"] == ["43"]
    first, second = data["vehicles"]
    assert (first["id"], first["line"], first["code"], first["color"]) == ("A17", "43", "V", "#990099")
    assert (first["bearing_deg"], first["speed_mps"], first["passengers"]) == (270, 8.9, 12)
    assert (first["punctuality"], first["direction"], second["punctuality"]) == ("late", "Outbound", "on-time")
    departure, due = data["departures"]
    assert (departure["stop"], departure["stop_name"], departure["headsign"], departure["live"]) == (
        "5", "Main Street", "Outbound", True)
    assert departure["departure"] > departure["scheduled"] and (due["text"], due["live"]) == ("Due", False)
    assert data["alerts"] == [{"title": "Detour", "text": ["Detour on Main Street"], "lines": ["43"]}]
    asked = [request for request in info.server.requests if request.name == "GetAllVehiclesForRoutes"]
    assert asked[-1].parameters["routeIDs"] == "43"
    assert all("application/json" in request.headers["accept"] for request in info.server.requests)


def test_infopoint_is_asked_for_all_lines_if_none_is_named(live):
    serve_info_point(live)
    live.start_net(configuration=f"InfoPoint={live.server.address_of('InfoPoint')}")
    data = live.data(live.watch(), lambda data: data["vehicles"])
    assert [vehicle["id"] for vehicle in data["vehicles"]] == ["A17", "B2"] and "lines" not in data
    asked = [request for request in live.server.requests if request.name == "GetAllVehiclesForRoutes"]
    assert asked[-1].parameters["routeIDs"] == "43"


@pytest.mark.thorough
def test_hostile_answers_of_infopoint_give_lines_that_the_daemon_accepts(info):
    odd = [None, 7, -1, 1e300, True, [], {}, "", "x" * 9999, "\x1b[2J\u202e\n", "/Date(99999999999999999999)/", "/Date(x)/"]
    dice = random.Random(3)
    good = dict(info.server.bodies)
    for name in ("GetVisibleRoutes", "GetAllVehiclesForRoutes", "5", "GetCurrentMessages"):
        first = good[name][0]
        info.server.bodies[name] = good[name] + odd + [first | {key: dice.choice(odd)} for key in first for _ in range(4)]
    reader = info.watch()
    info.data(reader)
    for _ in range(3):
        info.pass_time(20)
    data = info.data(reader, lambda data: data["vehicles"])
    assert data["live"] is True and "A17" in [vehicle["id"] for vehicle in data["vehicles"]]
    assert "rejects a line" not in info.net.log_text() and info.net.process.poll() is None


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["../../etc/passwd", "..", "/etc/passwd", "a/b.kml", "a\\b.kml", "a\n.kml", "x" * 200])
def test_name_of_a_trace_is_one_component_of_a_path(info, name):
    info.server.bodies["43"] = info.server.bodies["43"] | {"RouteTraceFilename": name}
    answer = info.net.call("transit.path", line="43")
    assert answer["paths"] == [] and [stop["id"] for stop in answer["stops"]] == ["5"]
    assert [request.name for request in info.server.requests] == ["43"]


@pytest.mark.thorough
def test_trace_of_infopoint_is_the_way_of_a_line(info):
    info.maps("groups", "preset", "cata")
    info.departures()
    way = info.net.call("transit.path", line="43")
    paths = way["paths"]
    assert way["stops"] == [{"id": "5", "name": "Main Street", "latitude": pytest.approx(north(100)[0], abs=1e-5),
                             "longitude": pytest.approx(HERE[1], abs=1e-5)}]
    expected = json.loads((ROOT / "Tests/Data/kml/linestring.kml.geojson").read_text())["features"]
    assert paths == [[pytest.approx(point[:2], abs=1e-5) for point in one["geometry"]["coordinates"]] for one in expected]
    page = info.maps("lines", "--format", "kml", "--match", "V", "--net-dir", info.net.runtime)
    document = xml.etree.ElementTree.fromstring(page)
    written = list(document.iter("{http://www.opengis.net/kml/2.2}coordinates"))
    assert [len(one.text.split()) for one in written] == [len(path) for path in paths]
    error = info.maps.refused("lines", "--format", "kml", "--match", "N", "--net-dir", info.net.runtime)
    assert error.count("\n") == 1 and info.server.name in error


@pytest.mark.parametrize("setting", ["no", pytest.param("yes", marks=pytest.mark.thorough)])
def test_infopoint_is_asked_for_stops_around_the_position_only_if_it_may(live, info, setting):
    info.net.end()
    live.import_feed()
    live.start_net(
        configuration=f"InfoPoint={live.server.address_of('InfoPoint')}\nLines=V\nStops=5\nNearbyStops={setting}")
    around = info.maps("departures", "--at", f"{HERE[0]},{HERE[1]}", "--radius", "1500", "--net-dir", info.net.runtime)
    assert "min" in around
    asked = {request.name for request in info.server.requests}
    assert (asked & {f"s{number}" for number in range(20)} != set()) == (setting == "yes"), asked
    info.maps("departures", "s1", "--net-dir", info.net.runtime)
    assert "s1" in {request.name for request in info.server.requests}


@pytest.mark.thorough
def test_departures_of_infopoint_need_no_timetable(info):
    shown = info.maps("departures", "5", "--net-dir", info.net.runtime)
    first, second, last = shown.splitlines()[1:]
    assert re.match(r" *[67] min +\S+ +\S+ +V +Outbound +Main Street +live", first), shown
    assert "Due" in second and "V" in second and re.match(r"live data of \d+ s ago", last)
    assert "no timetable" in info.maps.refused("departures", "--at", "1,1", "--net-dir", info.net.runtime)
    assert "no timetable" in info.maps.refused("departures", "nowhere", "--net-dir", info.net.runtime)


def test_names_of_drivers_are_nowhere(info):
    reader = info.stage.reader(info.daemon, topics=["transit"], classes=["STATE", "EVENT"])
    info.data(reader)
    info.pass_time(20)
    info.data(reader, lambda data: data["vehicles"])
    answers = [info.net.call("transit.path", line="43"), info.departures("5")]
    found = info.everything(reader) | {"answers": json.dumps(answers).encode()}
    assert not [name for name, content in found.items() if DRIVER.encode() in content]


# Notices

@pytest.mark.thorough
def test_bus_that_comes_near_is_announced_once_for_an_approach(watched):
    position_is_known(watched)
    vehicle = watched.add_vehicle(watched.vehicles, "101", north(2000), trip="a5")
    reader = watched.stage.reader(watched.daemon, topics=["transit"], classes=["EVENT"])
    watched.data(reader)

    def drive(metres):
        vehicle.position.latitude = north(metres)[0]
        watched.pass_time(20)

    for metres in (700, 560, 500, 300, 540, 600):
        drive(metres)
    notice = reader.wait("a bus", lambda line: line.get("event") == "notice", 60)
    assert (notice["topic"], notice["key"], notice["text"]) == ("transit", "bus", "bus A is near: 500 m")
    assert len(watched.notices(reader)) == 1

    def again():
        drive(1500)
        drive(200)
        return len(watched.notices(reader)) >= 2
    # The daemon accepts one notice of a topic in 10 s.
    wait_for(again, 60, "a second notice")
    assert watched.notices(reader)[1]["text"] == "bus A is near: 200 m"


@pytest.mark.thorough
def test_buses_are_not_announced_without_lines(live):
    live.import_feed()
    live.add_vehicle(live.message("vehicles.pb"), "101", north(200), line="10")
    live.start_net("vehicles.pb", configuration="")
    position_is_known(live)
    reader = live.stage.reader(live.daemon, topics=["transit"], classes=["EVENT"])
    assert live.data(reader)["vehicles"]
    live.pass_time(20)
    assert live.notices(reader) == []


def test_last_bus_home_is_announced_once_in_a_run(live):
    live.feed = live.made_feed(-60, 20)
    live.import_feed()
    live.start_net(configuration=f"Home={text(HOME)}")
    position_is_known(live)
    reader = live.stage.reader(live.daemon, classes=["EVENT", "STATE"])
    live.daemon.call("run.start", indoor=True)
    live.daemon.call("run.stop")
    live.daemon.call("run.start")
    notice = reader.wait("the last bus", lambda line: line.get("event") == "notice", 60)
    assert (notice["topic"], notice["key"]) == ("transit", "last-bus")
    assert notice["text"] in [f"the last bus home leaves in {minutes} min, 0.1 km from here" for minutes in (19, 20)]
    live.passed += 130
    live.step(live.passed)
    # A position makes paced-net look at its clock.
    live.gpsd.place = north(30)
    reader.wait("a position", lambda line: line.get("position", {}).get("latitude", 0) > HERE[0] + 0.0002, 60)
    live.departures()
    assert len(live.notices(reader)) == 1


@pytest.mark.thorough
@pytest.mark.parametrize("configuration, minutes", [
    (f"Home={text(HOME)}", (20, 60)), (f"Home={text(HOME)}\nLastBusMin=0", (20,)), (f"Home={text(north(200))}", (20,)),
    ("", (20,))], ids=["later", "off", "at home", "no home"])
def test_last_bus_is_not_announced(live, configuration, minutes):
    live.import_feed(live.made_feed(*minutes))
    live.start_net(configuration=configuration)
    position_is_known(live)
    reader = live.stage.reader(live.daemon, classes=["EVENT", "STATE"])
    live.daemon.call("run.start")
    reader.wait("a run", lambda line: line.get("run") == "active", 60)
    assert live.departures()["departures"] and live.notices(reader) == []


@pytest.mark.thorough
def test_restarted_daemon_has_the_data_again(watched):
    watched.add_vehicle(watched.vehicles, "101", north(900), trip="a5")
    watched.data(watched.watch(), lambda data: data["vehicles"])
    watched.daemon.stop()
    watched.daemon = watched.stage.paced("--gpsd", watched.gpsd.option, "--sensors", "off")
    assert watched.data(watched.watch())["vehicles"]
