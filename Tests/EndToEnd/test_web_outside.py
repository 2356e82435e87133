"""The pages weather, places, routes and buses, in Debian's chromium, with paced-net beside fake services."""

import datetime
import json
import math
import re
import subprocess
import urllib.parse
import zoneinfo

import pytest
from google.transit import gtfs_realtime_pb2 as realtime
from playwright.sync_api import expect

from harness.browser import button, narrow_widths, violations
from harness.client import connect
from harness.gtfs import Feed
from harness.maps import MapsCommand
from harness.paced_net import PacedNet, StandingGpsd
from harness.paced_web import PacedWeb, themes
from harness.process import PACECTL, ROOT
from harness.route_engine import RouteEngine, brouter_answer, winding
from harness.timing import wait_for
from harness.weather_server import WeatherServer, now, response, station, taf
from matrix import matrix

HERE, THERE = (42.5075, 1.521), (42.512, 1.54)
HOME = (42.5443, 1.5148)
HOSTILE = "</script><img src=x onerror=alert(1)>&lt;b&gt;"
STOPS = [("s0", "Plaça", (42.5069, 1.5216), "101"), ("s1", "Pont", (42.5085, 1.5300), "102"),
         ("s2", "Caldea", (42.5113, 1.5383), "103"), ("s3", "Encamp", (42.5347, 1.5803), "104"),
         ("h", HOSTILE, (42.5440, 1.5150), "105")]

# What paced-net says without the internet.
UNRESOLVED = "no network: cannot resolve nowhere.invalid"
# The minutes after the start at which trips begin.
TRIPS = range(-30, 360, 12)


class TransitServer(WeatherServer):
    """Gives `bodies` by the last part of the path, made by functions."""

    def __init__(self):
        self.bodies = {}
        super().__init__()

    def answer(self, request):
        body = self.bodies.get(request.name)
        return response(200, body()) if body else response(404)


def zone_of_late_morning():
    """A zone in which it is eleven now: its night, with the last bus, is hours away."""
    return f"Etc/GMT{now().hour - 11:+d}"


class Outside:
    """A daemon at a place in Andorra, `paced-net` with a weather service, a route engine and live buses, and the pages."""

    def __init__(self, stage):
        self.stage = stage
        directory = stage.directory
        self.weather = stage.keep(WeatherServer())
        self.weather.add(station("LESU", 42.3386, 1.4092, ["METAR", "TAF"], elev=802),
                         "24010G20KT 9999 -SHRA FEW012 BKN030CB 12/08 Q1013",
                         taf=taf("LESU", "24010KT 9999 SCT030 PROB30 TEMPO "
                                         f"{now():%d%H}/{now() + datetime.timedelta(hours=4):%d%H} 24020G38KT 3000 TSRA BKN020CB"))
        self.engine = stage.keep(RouteEngine(self.reply))
        self.transit = stage.keep(TransitServer())
        self.gpsd = stage.keep(StandingGpsd(HERE))
        self.daemon = stage.paced("--gpsd", self.gpsd.option, "--sensors", "off")
        wait_for(lambda: "position" in self.daemon.call("status"), 60, "a position")
        self.places_command = MapsCommand("places", directory)
        self.places_command("import", ROOT / "Tests/Data/osm/andorra.osm.pbf")
        self.transit_command = MapsCommand("transit", directory)
        self.zone = zone_of_late_morning()
        self.start = datetime.datetime.now(zoneinfo.ZoneInfo(self.zone)).replace(microsecond=0)
        self.transit_command("import", self.feed().write(directory / "feed.zip"))
        self.transit_command("groups", "add", "Town", "L2")
        self.transit_command("groups", "add", "Valley", "L1", "L3")
        self.transit_command("groups", "default", "Valley")
        self.publish_live()
        self.net = stage.start(PacedNet(
            directory, self.daemon.runtime, "--maps-dir", self.transit_command.maps,
            configuration=f"[Network]\nTimeoutSec=60\n[Weather]\nServer={self.weather.address}\n[Routes]\n"
                          f"Engine={self.engine.address}\n[Transit]\nRefreshSec=15\nLines=10,20,30\nStops=s0\n"
                          f"Home={HOME[0]},{HOME[1]}\nFeeds=http://{self.transit.name}/live.pb\n"))
        self.web = stage.start(PacedWeb(directory, self.daemon))

    # The route engine

    def reply(self, request):
        start, end = [(place[1], place[0]) for place in RouteEngine.places(request.parameters)]
        if end[0] > 42.6:
            return response(400, "datafile E5_N40.rd5 not found\n", content_type="text/plain")
        number = int(request.parameters["alternativeidx"]) + (3 if "profile:uphillcost" in request.parameters else 0)
        points = winding(start, end, 15 + 31 * number, (number - 2) * 0.35)
        return brouter_answer(points, voicehints=[[40, 2, 0, 100, -90], [80, 5, 0, 100, 90]], **{"total-time": str(900 + number * 60)})

    # The timetable and live data

    def feed(self):
        today = self.start
        days = [f"{today + datetime.timedelta(days=days):%Y%m%d}" for days in (-1, 3)]
        feed = Feed(zone=self.zone, days=days)
        for name, title, place, code in STOPS:
            feed.stop(name, title, place, code)
        for name, code, title, color in (("10", "L1", "Sant Julià – Encamp", "0057B8"), ("20", "L2", "Town", "DDDDDD"),
                                         ("30", "L3", "Night line " + HOSTILE, "")):
            feed.line(name, code, title, color)
        feed.tables["shapes.txt"] = [["shape_id", "shape_pt_lat", "shape_pt_lon", "shape_pt_sequence"]]
        for index in range(82):
            # Between the stops of line L1 it swings aside.
            (_, _, start, _), (_, _, end, _) = STOPS[min(index // 27, 2)], STOPS[min(index // 27, 2) + 1]
            part = index / 27 - min(index // 27, 2)
            swing = 0.001 * math.sin(part * math.pi)
            feed.add("shapes.txt", "w", start[0] + (end[0] - start[0]) * part + swing, start[1] + (end[1] - start[1]) * part, index)
        began = today.hour * 3600 + today.minute * 60
        for minute in TRIPS:
            at = began + minute * 60
            feed.trip(f"a{minute}", "10", ("s0", at), ("s1", at + 200), ("s2", at + 420), ("s3", at + 900),
                      headsign="Encamp", bikes=1, shape="w")
            feed.trip(f"b{minute}", "20", ("s2", at + 60), ("s0", at + 400), ("h", at + 1500), headsign="Home")
        feed.trip("c", "30", ("s1", began + 3600), ("h", began + 4800), headsign="Home")
        return feed

    def publish_live(self):
        self.late, self.has_alert = 240, True
        self.transit.bodies["live.pb"] = self.live

    def live(self):
        message = realtime.FeedMessage()
        message.header.gtfs_realtime_version = "2.0"
        message.header.timestamp = int(datetime.datetime.now(datetime.timezone.utc).timestamp()) - 5
        for number, (place, bearing, occupancy) in enumerate([((42.5095, 1.5320), 65, 1), ((42.5200, 1.5510), 240, 3)]):
            vehicle = message.entity.add(id=f"v{number}").vehicle
            vehicle.vehicle.id, vehicle.trip.route_id = f"bus {number}", "10"
            vehicle.position.latitude, vehicle.position.longitude = place
            vehicle.position.bearing, vehicle.position.speed = bearing, 8.5
            vehicle.occupancy_status = occupancy
            vehicle.timestamp = message.header.timestamp
        for minute in TRIPS:
            update = message.entity.add(id=f"u{minute}").trip_update
            update.trip.trip_id, update.trip.start_date = f"a{minute}", f"{self.start:%Y%m%d}"
            update.stop_time_update.add(stop_sequence=1).departure.delay = self.late
        if self.has_alert:
            alert = message.entity.add(id="a").alert
            alert.header_text.translation.add(text="Road works on the bridge")
            alert.description_text.translation.add(text="Line L1 does not stop at Pont until Friday.")
            alert.informed_entity.add(route_id="10")
        return message.SerializeToString()


PAGES = ["weather", "places", "routes", "buses"]


@pytest.fixture(scope="module")
def outside(long_stage):
    return Outside(long_stage)


@pytest.fixture
def opened(pages):
    """Opens a page, and waits until it has signed in, or says why not."""
    def opened(web, path, width=1024, **options):
        page = pages.open(web, path, width=width, **options)
        expect(page.locator("main#main:not([hidden]), .card.lone")).to_be_visible()
        return page

    return opened


@pytest.fixture
def alone(stage):
    """A daemon and the pages without paced-net, and without places and a timetable."""
    return stage.start(PacedWeb(stage.directory, stage.paced("--gpsd", "off", "--sensors", "off")))


def publish(web, topic, **data):
    """Publishes data of a topic, as a program beside paced does: again if paced-net has just done so."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "topic.publish", "params": {"topic": topic, "data": data}}

    def answer():
        with connect(web.daemon.runtime / "publish.sock", timeout=60) as client:
            client.sendall(json.dumps(request).encode() + b"\n")
            return next(line for line in map(json.loads, client.makefile("r")) if "id" in line)

    def accepted():
        error = answer().get("error")
        assert error is None or error["code"] == -32002, error
        return error is None

    wait_for(accepted, 60, f"place for data of {topic}")


def filled(page, name):
    """Waits until a page shows its data."""
    ready = {"weather": ".station", "places": ".result", "routes": "dl.facts dd >> text=/^(My p|Meine P)osition$/",
             "buses": ".vehicles li"}
    expect(page.locator(ready[name]).first).to_be_visible()


def search_routes(page, profile="Walk"):
    page.get_by_label("Where to?").fill(f"{THERE[0]},{THERE[1]}")
    button(page, "Search").click()
    button(page, profile).click()
    button(page, "Find routes").click()
    expect(page.get_by_role("heading", name=re.compile("^6 routes"))).to_be_visible()


# All pages

@pytest.mark.parametrize("name", matrix(PAGES, "weather"))
@pytest.mark.parametrize("theme", themes())
def test_page_is_accessible_and_as_wide_as_the_screen(outside, opened, name, theme):
    page = opened(outside.web, f"{name}.html", theme=theme)
    filled(page, name)
    if name == "routes":
        search_routes(page)
    if name == "places":
        page.locator(".result").nth(1).click()
        page.locator(".result").nth(1).click()
        page.locator("summary", has_text="kinds").click()
    if name == "buses":
        page.locator(".result").first.click()
        expect(page.locator(".departures li").first).to_be_visible()
        button(page, "Next way home").click()
        expect(page.locator(".journey").first).to_be_visible()
    assert violations(page) == []
    assert narrow_widths(page) == []
    small = page.evaluate(
        "[...document.querySelectorAll('main button, main input:not([type=checkbox]), main select, main summary')]"
        ".filter((node) => node.offsetParent && (node.offsetHeight < 44 || node.offsetWidth < 44)).map((node) => node.outerHTML)")
    assert small == []


@pytest.mark.parametrize("name", ["places", "buses"])
def test_map_has_its_place_on_small_screens(outside, opened, name):
    page = opened(outside.web, f"{name}.html", width=800, height=480)
    filled(page, name)
    frame, lists = [page.locator(f".split > {part}").bounding_box() for part in (".side", ".stack")]
    assert frame["x"] + frame["width"] <= lists["x"] and frame["y"] + frame["height"] <= 480
    if name == "places":
        first = page.locator(".result").first.bounding_box()
        assert first["y"] + first["height"] <= 480
    page.set_viewport_size({"width": 240, "height": 320})
    if name == "buses":
        page.locator(".result").first.click()
        expect(page.locator(".departures li:visible").first).to_be_visible()
        name = page.locator(".departures:visible .line-mark").first.bounding_box()
        assert name["height"] < 40, name
    wait_for(lambda: page.evaluate("document.documentElement.scrollWidth") <= 240, 60, "a page of 240 pixels")


def test_map_stays_in_sight_of_the_list_on_a_phone(outside, opened):
    page = opened(outside.web, "places.html", width=360, height=640)
    filled(page, "places")
    row = page.locator(".result").last
    row.focus()
    row.press("Enter")
    frame, box = page.locator(".map").bounding_box(), row.bounding_box()
    assert 0 <= frame["y"] and frame["y"] + frame["height"] <= box["y"] and box["y"] + box["height"] <= 640


@pytest.mark.parametrize("name", matrix(PAGES, "buses"))
def test_page_is_german_in_a_german_browser(outside, opened, name):
    page = opened(outside.web, f"{name}.html", locale="de-DE")
    filled(page, name)
    text = page.locator("body").inner_text()
    assert not re.search(r"\b(weather|places|routes|buses|outside|nav|cue)\.[a-z_]", text), text
    assert page.evaluate("document.documentElement.lang") == "de"


@pytest.mark.thorough
@pytest.mark.parametrize("theme", themes())
def test_weather_fits_a_screen_of_240_pixels(outside, opened, theme):
    page = opened(outside.web, "weather.html", width=240, height=320, locale="de-DE", theme=theme)
    filled(page, "weather")
    for row in page.locator(".hours summary").all():
        row.click()
    assert page.evaluate("document.documentElement.scrollWidth") == 240
    assert violations(page) == []


def test_both_languages_have_the_same_texts(outside, opened):
    page = opened(outside.web, "weather.html")
    english, german = [page.evaluate(
        f"import('/texts/{name}.js').then(({{ default: texts }}) => texts)") for name in ("en", "de")]
    mine = re.compile(r"(weather|places|routes|buses|outside)\.")
    assert {key for key in english if mine.match(key)} == {key for key in german if mine.match(key)}
    for key in filter(mine.match, english):
        names = [sorted(re.findall(r"\{\w+\}", texts[key])) for texts in (english, german)]
        assert names[0] == names[1], key


@pytest.mark.thorough
def test_stream_ends_when_the_page_closes(outside, opened):
    page = opened(outside.web, "buses.html")
    filled(page, "buses")
    ended = []
    page.on("requestfailed", lambda request: ended.append(request.url))
    # A page that the browser keeps for the way back ends its stream too.
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))")
    wait_for(lambda: page.evaluate("true") and any(url.endswith("/api/stream") for url in ended), 60, "the end of the stream")


def test_hidden_page_asks_for_no_live_data(outside, opened):
    page = opened(outside.web, "buses.html")
    filled(page, "buses")

    def turn(is_hidden):
        """Returns the topics that the page watches then."""
        with page.expect_request("**/api/stream") as watched:
            page.evaluate("""(isHidden) => {
                Object.defineProperty(document, 'hidden', { value: isHidden, configurable: true });
                document.dispatchEvent(new Event('visibilitychange'));
            }""", is_hidden)
        return json.loads(watched.value.post_data)["topics"]

    assert turn(True) == []
    wait_for(lambda: page.evaluate("document.querySelector('.live-state').textContent").startswith("No live data"), 60, "a new stream")
    assert turn(False) == ["transit"]
    expect(page.locator(".live-state")).to_contain_text("Live,")


def test_live_departures_are_asked_for_each_ten_seconds(outside, opened):
    page = opened(outside.web, "buses.html")
    filled(page, "buses")
    page.clock.install()
    page.locator(".result").first.click()
    expect(page.locator(".departures li:visible").first).to_be_visible()
    # The clock of the page goes on by itself too.
    with page.expect_request("**/api/transit/departures?*", timeout=15_000):
        page.clock.run_for(10_000)


@pytest.mark.thorough
def test_browser_that_may_only_watch(outside, opened):
    page = opened(outside.web, "routes.html", scope="watch")
    expect(page.locator(".card.lone")).to_contain_text("pacectl web code --control")
    page = opened(outside.web, "weather.html", scope="watch")
    filled(page, "weather")
    expect(page.get_by_label("Place", exact=True)).to_have_count(0)
    expect(page.locator("main")).to_contain_text("The weather of another place needs more rights.")
    page = opened(outside.web, "places.html", scope="watch")
    filled(page, "places")
    page.locator(".result").first.click()
    page.locator(".result").first.click()
    expect(page.locator("#place-name")).to_be_visible()
    expect(page.get_by_role("link", name="Go there")).to_have_count(0)
    expect(page.locator("main")).to_contain_text("Routes need more rights.")
    page = opened(outside.web, "buses.html", scope="watch")
    filled(page, "buses")
    page.locator(".result").first.click()
    expect(page.locator(".departures li").first).to_be_visible()
    expect(page.get_by_role("link", name="Go there")).to_have_count(0)


def test_pages_say_what_is_missing(alone, opened):
    allowed = "Failed to load resource"
    page = opened(alone, "weather.html", allowed=allowed)
    expect(page.locator("main")).to_contain_text("sudo systemctl enable --now paced-net")
    page.get_by_label("Place", exact=True).fill("EDDB")
    button(page, "Show").click()
    expect(page.get_by_role("alert").filter(has_text="It asks other computers: sudo systemctl enable --now paced-net")).to_be_visible()
    page = opened(alone, "places.html", allowed=allowed)
    expect(page.locator(".problem")).to_contain_text("pacectl places import")
    page = opened(alone, "buses.html", allowed=allowed)
    expect(page.locator(".problem")).to_contain_text("pacectl transit import")
    page = opened(alone, f"routes.html?to={THERE[0]},{THERE[1]}", allowed=allowed)
    expect(page.locator(".facts")).to_contain_text("paced has no position yet")
    expect(button(page, "Find routes")).to_be_disabled()


# Weather

def test_weather_has_station_distance_age_and_figures(outside, opened):
    page = opened(outside.web, "weather.html")
    card = page.locator(".station")
    expect(card).to_contain_text("LESU Site of LESU")
    expect(card).to_contain_text(re.compile(r"20\.9 km SW · 802 m above sea level · \d+ min old"))
    expect(card.locator(".degrees")).to_have_text("12 °C")
    expect(card.locator(".sky")).to_have_text("Light showers of rain, cloudy")
    for name, value in {"Wind": "19 km/hFrom SW, gusts of 37 km/h", "Humidity": "77 %", "Dew point": "8 °C", "Pressure": "1013 hPa",
                        "Visibility": "10 km or more", "Clouds": "Few at 370 m, broken at 910 m (cumulonimbus)"}.items():
        expect(card.locator("dl > div", has=page.get_by_text(name, exact=True)).locator("dd")).to_have_text(value)
    expect(page.locator(".warnings li")).to_have_text(
        ["Thunderstorm with rain: 30 %, at times, now (LESU)", "Gusts of 70 km/h: 30 %, at times, now (LESU)"])
    # What prevails is dry.
    expect(page.get_by_text("The forecast has rain or snow now: 30 %, at times", exact=True)).to_be_visible()
    expect(page.locator(".periods li").first).to_contain_text("Partly cloudy")
    expect(page.locator(".periods .overlay")).to_contain_text("thunderstorm with rain, visibility 3 km, SW 37 km/h, gusts 70")
    try:
        outside.daemon.call("settings.set", key="metric", value=False)
        expect(card.locator(".degrees")).to_have_text("54 °F")
        expect(card).to_contain_text("11 mph")
        expect(card).to_contain_text("29.91 inHg")
    finally:
        outside.daemon.call("settings.set", key="metric", value=True)
    expect(card.locator(".degrees")).to_have_text("12 °C")


def test_weather_is_drawn_beside_its_figures(outside, opened):
    page = opened(outside.web, "weather.html")
    headline = page.locator(".station .headline")
    expect(headline.get_by_role("img", name="Rain", exact=True)).to_have_attribute("data-drawing", "rain")
    expect(headline.locator(".degrees [data-band]")).to_have_attribute("data-band", "2")
    wind = page.locator(".station dl > div", has=page.get_by_text("Wind", exact=True))
    expect(wind.locator(".wind-arrow path")).to_have_attribute("transform", "rotate(60)")
    expect(wind.get_by_role("img", name="Strong wind")).to_be_visible()


def test_hours_of_the_forecast_open_and_stay_open(outside, opened):
    page = opened(outside.web, "weather.html")
    rows = page.locator(".hours li:not(.sun)")
    expect(rows).to_have_count(6)
    first = rows.first.locator("summary")
    expect(first).to_contain_text("Partly cloudy30 %")
    expect(page.get_by_role("heading", name="Next 5 hours")).to_be_visible()
    expect(first.get_by_role("img", name=re.compile("^Partly cloudy"))).to_be_visible()
    # What may be instead is drawn beside its probability.
    expect(first.locator(".chance").get_by_role("img", name="Thunderstorm with rain")).to_be_visible()
    expect(rows.first.locator("dl")).to_be_hidden()
    first.focus()
    page.keyboard.press("Enter")
    details = rows.first.locator("dl")
    expect(details).to_contain_text("SW 19 km/h")
    expect(details).to_contain_text("30 %, at times: thunderstorm with rain, visibility 3 km, SW 37 km/h, gusts 70")
    try:
        # All is drawn anew.
        outside.daemon.call("settings.set", key="metric", value=False)
        expect(details).to_contain_text("SW 11 mph")
        expect(first).to_be_focused()
    finally:
        outside.daemon.call("settings.set", key="metric", value=True)


def test_reload_asks_for_newer_reports_of_the_same_place(outside, opened):
    outside.weather.add(station("EGLL", 51.48, -0.45), "VRB02KT 9999 SCT030 11/02 Q0990")
    page = opened(outside.web, "weather.html")
    filled(page, "weather")

    def reload():
        with page.expect_request(lambda request: "weather.at" in (request.post_data or "")) as asked:
            button(page, "Reload").click()
        expect(page.locator(".line.notice")).to_have_text("This is the newest weather.")
        expect(button(page, "Reload")).to_be_enabled()
        return json.loads(asked.value.post_data)["params"]

    assert reload() == {}
    expect(page.locator(".degrees")).to_have_text("12 °C")
    page.get_by_label("Place", exact=True).fill("EGLL")
    button(page, "Show").click()
    expect(page.get_by_role("heading", name="Weather at EGLL")).to_be_focused()
    assert reload() == {"station": "EGLL"}
    expect(page.locator(".station")).to_contain_text("EGLL")


@pytest.mark.parametrize("width", matrix([240, 360, 800], 360))
def test_weather_stands_beside_the_start_and_leads_to_its_page(outside, opened, width):
    page = opened(outside.web, "", width=width, height=480)
    now_there = page.locator(".weather-now")
    expect(now_there).to_contain_text("12 °C")
    expect(now_there.get_by_role("img", name="Rain", exact=True)).to_be_visible()
    expect(now_there).to_contain_text("19 km/h")
    assert violations(page) == []
    boxes = [node.bounding_box() for node in (now_there, button(page, "Start"))]
    assert abs(boxes[0]["y"] - boxes[1]["y"]) < 80
    now_there.press("Enter")
    expect(page.get_by_role("heading", name="Weather", exact=True)).to_be_visible()
    page.go_back()
    outside.daemon.call("run.start")
    try:
        expect(button(page, "Pause")).to_be_visible()
        expect(now_there).to_be_hidden()
    finally:
        outside.daemon.call("run.discard")
    expect(now_there).to_be_visible()


def test_weather_of_another_place(outside, opened):
    outside.weather.add(station("EDDB", 52.37, 13.5), "VRB02KT 0400 +TSRAGR FZFG VV001 M01/M02 Q0990")
    page = opened(outside.web, "weather.html", allowed="Failed to load resource")
    filled(page, "weather")
    place = page.get_by_label("Place", exact=True)
    place.fill("nowhere")
    button(page, "Show").click()
    expect(page.get_by_role("alert").filter(has_text="Enter a latitude")).to_be_visible()
    place.fill("eddb")
    place.press("Enter")
    expect(page.get_by_role("heading", name="Weather at EDDB")).to_be_focused()
    expect(page.locator(".station")).to_contain_text("EDDB")
    expect(page.locator(".warnings li")).to_have_text([
        "Thunderstorm with heavy rain and hail: at EDDB now", "Freezing fog: at EDDB now"])
    expect(page.locator(".station")).to_contain_text("Variable")
    page.locator("summary", has_text="Reports of the stations").click()
    expect(page.locator("pre")).to_contain_text("+TSRAGR FZFG VV001")
    place.fill("52,6; 13,3")
    button(page, "Show").click()
    expect(page.get_by_role("heading", name="Weather at 52.60000,13.30000")).to_be_visible()
    place.fill("0,0")
    button(page, "Show").click()
    expect(page.get_by_role("alert").filter(has_text="no weather station within 100 km")).to_be_visible()
    button(page, "Back to here").click()
    expect(page.locator(".station")).to_contain_text("LESU")
    expect(place).to_be_focused()


CODES = [["-DZ", "+SHSN", "RASN", "VCTS", "BCFG", "MIFG", "FZRA", "BLSN"],
         ["DRSN", "SHGS", "VCSH", "PRFG", "TS", "-TSPL", "+FC", "IC"],
         ["UP", "HZ", "PO", "SQ", "VA", "RETSRA", "SHRASN", "FZDZSG"]]


@pytest.mark.thorough
def test_words_of_the_weather_are_those_of_pacectl(outside, opened):
    page = opened(outside.web, "weather.html")
    for number, codes in enumerate(CODES):
        name = f"EKW{number}"
        outside.weather.add(station(name, 56 + number, 9), f"24010KT 9999 {' '.join(codes)} BKN030 12/08 Q1013")
        printed = subprocess.run(
            [PACECTL, "--metric", "--runtime-dir", outside.daemon.runtime, "weather", "--net-dir", outside.net.runtime, "--at", name],
            capture_output=True, text=True, timeout=60).stdout
        page.get_by_label("Place", exact=True).fill(name)
        button(page, "Show").click()
        expect(page.get_by_role("heading", name=f"Weather at {name}")).to_be_visible()
        shown = page.locator(".sky").text_content()
        assert f"  {shown}\n" in printed, (shown, printed)


@pytest.mark.thorough
def test_old_and_missing_figures_are_named(alone, opened):
    page = opened(alone, "weather.html")
    observed, fresh = [f"{now() - datetime.timedelta(minutes=age):%Y-%m-%dT%H:%M:%SZ}" for age in (100, 0)]
    publish(alone, "weather", station="EDDB", distance_m=12400, observed_at=observed, temperature_c=8, reason=UNRESOLVED,
            other_stations=[{"station": "EDAZ", "distance_m": 40000, "observed_at": fresh, "figures": ["wind"]}],
            wind_from_deg=240, wind_speed_mps=5)
    cards = page.locator(".station")
    expect(cards).to_have_count(2)
    expect(cards.first).to_contain_text("12.4 km · 1 h 40 min old")
    expect(cards.first).not_to_contain_text("Wind")
    expect(cards.nth(1)).to_contain_text("EDAZ40 km · 0 min old")
    expect(cards.nth(1)).to_contain_text("18 km/h")
    expect(page.locator("main")).to_contain_text("The board has no internet: nowhere.invalid is not found.")
    expect(page.locator("main")).to_contain_text(
        "No station nearby reports: Weather, Dew point, Visibility, Pressure, Clouds.")
    publish(alone, "weather", reason="the server limits requests")
    expect(page.get_by_role("heading", name="No weather")).to_be_visible()
    expect(page.locator("main")).to_contain_text("The server limits requests")
    publish(alone, "weather", reason="login page? nowhere.invalid redirects to portal.invalid")
    expect(page.locator("main")).to_contain_text("The network of the board wants a sign-in first: nowhere.invalid is not reached.")
    expect(cards).to_have_count(0)


# Places

def test_places_near_are_listed_with_distance_and_details(outside, opened):
    page = opened(outside.web, "places.html")
    results = page.locator(".result")
    expect(results.first).to_contain_text(re.compile(r"Playground123 m SE"))
    shop = page.get_by_role("button", name=re.compile("^Pyrénées"))
    expect(shop).to_contain_text("Supermarket")
    shop.press("Enter")
    detail = page.locator("section[aria-labelledby=place-name]")
    expect(shop).to_contain_text("Details: once more")
    expect(detail).to_be_hidden()
    expect(page.locator(".map-scale")).to_have_text("200 m")
    shop.press("Enter")
    expect(detail).to_be_focused()
    expect(detail).to_contain_text("Avinguda Meritxell 11")
    website = detail.get_by_role("link", name="http://www.pyrenees.ad")
    assert website.get_attribute("rel") == "noopener noreferrer" and website.get_attribute("target") == "_blank"
    assert "to=42.50804%2C1.52437" in detail.get_by_role("link", name="Go there").get_attribute("href")
    expect(page.locator(".credit")).to_contain_text("OpenStreetMap")
    button(page, "Close").click()
    expect(shop).to_be_focused()
    page.locator("summary", has_text="kinds").click()
    button(page, "Hospital").click()
    expect(results).to_have_count(1)
    expect(results).to_contain_text("Hospital1.1 km NE")
    page.get_by_label("Search within").select_option("200")
    expect(page.get_by_role("status").filter(has_text="No such place there.")).to_be_visible()


def test_well_known_places_stand_first_if_the_browser_wants_so(outside, opened):
    """The answers are made of those by distance: the places that are farthest away are best known, if any is."""
    asked, is_known = [], [True]

    def answer(route):
        address = urllib.parse.urlsplit(route.request.url)
        query = dict(urllib.parse.parse_qsl(address.query))
        asked.append(query.pop("order", None))
        page = route.fetch(url=address._replace(query=urllib.parse.urlencode(query)).geturl()).json()
        if asked[-1]:
            page["features"].reverse()
        for number, feature in enumerate(page["features"]):
            feature["properties"]["prominence"] = 90 - number
            if not is_known[0]:
                del feature["properties"]["prominence"]
        route.fulfill(json=page)

    page = opened(outside.web, "places.html")
    page.route("**/api/places/near*", answer)
    page.reload()
    results = page.locator(".result")
    expect(results.first).to_contain_text("123 m SE")
    page.get_by_label("Order").select_option(label="well known first")
    expect(results.last).to_contain_text("123 m SE")
    assert asked[-1] == "prominence"
    note = page.get_by_text("Import the places again")
    expect(note).to_be_hidden()
    is_known[0] = False
    page.reload()
    expect(note).to_be_visible()
    expect(results.last).to_contain_text("123 m SE")
    page.get_by_label("Order").select_option(label="nearest first")
    expect(note).to_be_hidden()
    button(page, "Along the course").click()
    expect(page.get_by_label("Order")).to_be_hidden()
    assert asked[-1] is None


def test_place_has_the_photo_of_the_board_and_a_number_to_call(outside, opened):
    def answer(route):
        # The extract of Andorra names no photos here, and no numbers.
        page = route.fetch().json()
        for feature in page["features"]:
            feature["properties"] |= {"name": "Viewpoint", "image": photos[0], "phone": "+376 80-21 20;+376 800 000"}
        route.fulfill(json=page)

    photos = ["view.png", "missing.png"]
    directory = outside.places_command.maps / "photos"
    directory.mkdir(exist_ok=True)
    (directory / photos[0]).write_bytes((ROOT / "docs/page/live-414-sunlight.png").read_bytes())
    page = opened(outside.web, "places.html", allowed="Failed to load resource")
    page.route("**/api/places/near*", answer)
    page.route("**/api/places/show*", answer)
    page.reload()
    row, photo = page.locator(".result").first, page.get_by_role("img", name="Photo of Viewpoint")
    row.click()
    row.click()
    expect(photo).to_be_visible()
    numbers = page.locator("dd", has_text="+376").get_by_role("link")
    expect(numbers).to_have_text(["+376 80-21 20", "+376 800 000"])
    assert [number.get_attribute("href") for number in numbers.all()] == ["tel:+376802120", "tel:+376800000"]
    wait_for(lambda: photo.evaluate("(image) => image.naturalWidth > 0"), 60, "a photo")
    assert violations(page) == [] and narrow_widths(page) == []
    photos.pop(0)
    page.reload()
    row.click()
    row.click()
    expect(page.locator("#place-name")).to_have_text("Viewpoint")
    expect(photo).to_have_count(0)


def shown_marks(page):
    """The marks and the counts that the map draws once it rests, as JSON."""
    return rest(lambda: page.evaluate("JSON.stringify([window.marks, window.counts])"))


# Notes what the map draws last: the paths of marks, and the texts inside discs with their places.
NOTING = """
    const { stroke, fillText, clearRect } = CanvasRenderingContext2D.prototype;
    const Path = window.Path2D;
    window.Path2D = class extends Path { constructor(text) { super(text); this.text = text; } };
    Object.assign(CanvasRenderingContext2D.prototype, {
        clearRect(...box) { [window.marks, window.counts] = [[], []]; clearRect.apply(this, box); },
        stroke(path) {
            if (typeof path?.text === 'string') window.marks.push(path.text);
            if (path) stroke.call(this, path); else stroke.call(this);
        },
        fillText(text, x, y) {
            if (/^\\d+$/.test(text)) window.counts.push([Number(text), x, y]);
            fillText.call(this, text, x, y);
        },
    });
"""


def noted(opened, web, path, **options):
    page = opened(web, path, **options)
    page.add_init_script(NOTING)
    page.reload()
    filled(page, "places")
    return page


def test_moved_map_is_searched_once_it_rests(outside, opened):
    page = opened(outside.web, "places.html")
    filled(page, "places")
    map_ = page.locator(".map")
    map_.focus()
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/places/near" in request.url else None)
    results = page.locator(".result")
    before = results.first.text_content()
    page.route("**/api/places/near*", lambda route: None)
    with page.expect_request("**/api/places/near*") as request:
        for _ in range(6):
            map_.press("ArrowRight")
    assert len(asked) == 1, asked
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(request.value.url).query)
    assert float(query["at"][0].split(",")[1]) > HERE[1] and query["limit"] == ["500"] and 1 < int(query["radius"][0]) < 50_000
    # The places of before stay until the answer.
    assert results.first.text_content() == before
    page.unroute("**/api/places/near*")
    with page.expect_response("**/api/places/near*"):
        for _ in range(4):
            map_.press("-")
    expect(page.get_by_label("Search within")).to_have_value("map")
    expect(page.get_by_role("status").filter(has_text=re.compile(r"\d+ places"))).to_be_visible()
    # A short way is no other place, and neither is the map that follows.
    del asked[:]
    map_.press("ArrowLeft")
    button(page, "Follow the position").click()
    for _ in range(3):
        map_.press("+")
    with page.expect_response("**/api/places/near*"):
        button(page, "Around me").click()
    assert len(asked) == 1 and "radius=2000" in asked[0], asked
    expect(page.get_by_label("Search within")).to_have_value("2000")
    expect(results.first).to_contain_text(re.compile(r"Playground123 m SE"))


def test_chosen_place_stays_where_a_moved_map_is_searched(outside, opened):
    page = opened(outside.web, "places.html")
    results = page.locator(".result")
    expect(results.first).to_contain_text("123 m SE")
    chosen = results.last
    name = chosen.locator(".title").text_content()
    chosen.click()
    page.locator(".map").focus()
    with page.expect_response("**/api/places/near*"):
        for _ in range(6):
            page.keyboard.press("ArrowRight")
    expect(results.first).to_have_attribute("aria-pressed", "true")
    expect(results.first.locator(".title")).to_have_text(name)
    expect(page.locator(".result[aria-pressed=true]")).to_have_count(1)


def test_places_have_the_mark_of_their_kind_and_are_counted_where_they_are_many(outside, opened):
    page = noted(opened, outside.web, "places.html")
    listed = page.locator(".result .place-mark").evaluate_all("nodes => nodes.map((node) => node.dataset.kind)")
    assert len(set(listed)) > 3
    paths = page.locator(".result .place-mark path").evaluate_all("nodes => nodes.map((node) => node.getAttribute('d'))")
    assert len(set(paths)) == len(set(listed))
    map_ = page.locator(".map")
    map_.focus()
    with page.expect_response("**/api/places/near*"):
        for _ in range(3):
            map_.press("-")
    marks, counts = json.loads(shown_marks(page))
    total = int(re.match(r"\d+", page.get_by_role("status").filter(has_text="places").text_content())[0])
    assert len(counts) > 1 and len(marks) + len(counts) <= 200
    assert len(marks) + sum(count for count, _, _ in counts) == total
    # The chosen place is in none.
    page.locator(".result").first.click()
    for _ in range(9):
        map_.press("-")
    marks, counts = json.loads(shown_marks(page))
    chosen = page.locator(".result[aria-pressed=true] .place-mark path").get_attribute("d")
    assert chosen in marks
    # A tap on a disc shows more of its surroundings.
    expect(page.get_by_role("status").filter(has_text=re.compile(r"\d+ places"))).to_be_visible()
    marks, counts = json.loads(shown_marks(page))
    scale = page.locator(".map-scale").text_content()
    box = page.locator(".map canvas").bounding_box()
    _, x, y = max(counts)
    page.mouse.click(box["x"] + x, box["y"] + y)
    expect(page.locator(".map-scale")).not_to_have_text(scale)


def test_search_for_the_position_is_told(outside, opened):
    page = opened(outside.web, "places.html", allowed="Failed to load resource")
    filled(page, "places")
    lines = []

    def reply(route):
        route.fulfill(body="".join(json.dumps(line) + "\n" for line in lines))

    def tell(state, **members):
        lines[:] = [{"class": "VERSION", "events": {"last": 0}},
                    {"class": "STATE", "run": "idle", "acquisition": {"state": state, "age_ms": 0}, **members}]

    page.route("**/api/places/near*", lambda route: route.fulfill(
        status=422, json={"error": {"code": "failed", "message": "paced has no position"}}))
    page.route("**/api/stream", reply)
    tell("network")
    page.reload()
    expect(page.get_by_text("paced reaches no receiver")).to_be_visible()
    expect(page.locator(".problem")).to_contain_text("paced has no position")
    tell("error-idle")
    expect(page.get_by_text("No position was found.")).to_be_visible()
    # The position that is found is searched around at once.
    page.unroute("**/api/places/near*")
    tell("updated", position={"latitude": HERE[0], "longitude": HERE[1], "age_ms": 0, "stale": False})
    filled(page, "places")
    expect(page.locator(".notice-line")).to_be_hidden()
    expect(page.locator(".problem")).to_be_hidden()


def test_browser_without_network_says_what_does_not_work(outside, opened):
    page = opened(outside.web, "places.html")
    filled(page, "places")
    for _ in range(2):
        page.locator(".result").first.press("Enter")
    note = page.get_by_text("This device has no network: links to other sites do not open.")
    expect(page.locator("#place-name")).to_be_visible()
    expect(note).to_be_hidden()
    page.evaluate("""Object.defineProperty(navigator, 'onLine', { value: false, configurable: true });
        dispatchEvent(new Event('offline'))""")
    expect(note).to_be_visible()


def test_hundreds_of_places_are_counted_and_listed_in_parts(outside, opened):
    page = noted(opened, outside.web, "places.html")
    places = [{"type": "Feature", "id": f"n{at}", "geometry": {"type": "Point", "coordinates": [1.4 + at % 25 / 100, 42.4 + at // 25 / 100]},
               "properties": {"kind": "bench", "distance_m": at, "bearing_deg": 0}} for at in range(500)]
    page.route("**/api/places/near*", lambda route: route.fulfill(json={"type": "FeatureCollection", "features": places}))
    map_ = page.locator(".map")
    map_.focus()
    for _ in range(5):
        map_.press("-")
    expect(page.get_by_role("status").filter(has_text="The nearest 500 places")).to_be_visible()
    results = page.locator(".result")
    expect(results).to_have_count(20)
    button(page, "Show more").click()
    expect(results).to_have_count(40)
    expect(results.nth(20)).to_be_focused()
    marks, counts = json.loads(shown_marks(page))
    assert len(counts) + len(marks) <= 200 and sum(count for count, _, _ in counts) + len(marks) == 500


def test_groups_of_places(outside, opened):
    page = opened(outside.web, "places.html")
    groups = page.evaluate("""import('/clusters.js').then(({ clustersOf }) => {
        const many = Array.from({ length: 2000 }, (_, at) => ({ latitude: at % 50, longitude: Math.floor(at / 50) }));
        const sizes = (list, size) => clustersOf(list, size).map(({ places }) => places.length);
        const near = [{ latitude: 42.5, longitude: 1.5 }, { latitude: 42.5001, longitude: 1.5001 }];
        return [sizes(many, 2 ** 30), sizes(near, 2 ** 20), sizes(near, 2 ** 26), sizes([], 256)];
    })""")
    assert len(groups[0]) <= 200 and sum(groups[0]) == 2000
    assert groups[1:] == [[2], [1, 1], []]


def test_addresses_of_places_are_checked(outside, opened):
    page = opened(outside.web, "places.html")
    made = page.evaluate("""import('/outside.js').then(({ outerLink }) => [
        'javascript:alert(1)', 'data:text/html,x', 'pyrenees.ad', 'ftp://x.example', 'https://x.example/a'
    ].map((address) => outerLink(address)?.href ?? null))""")
    assert made == [None, None, None, None, "https://x.example/a"]


def test_positions_are_read_from_text(outside, opened):
    page = opened(outside.web, "places.html")
    texts = ["52.5,13.4", " 52.5, -13.4 ", "52.5 13.4", "52,5; 13,4", "52,5 13,4", "52,5, 13,4", "91,0", "0,181", "52", "a,b", "1e3,2", ""]
    read = page.evaluate("""(texts) => import('/outside.js').then(({ parsePosition }) => texts.map((text) => {
        const found = parsePosition(text); return found && [found.latitude, found.longitude]; }))""", texts)
    assert read == [[52.5, 13.4], [52.5, -13.4], [52.5, 13.4], [52.5, 13.4], [52.5, 13.4], [52.5, 13.4]] + 6 * [None]


@pytest.mark.thorough
def test_places_by_name_and_around_a_tap(outside, opened):
    page = opened(outside.web, "places.html")
    filled(page, "places")
    button(page, "By name").click()
    name = page.get_by_label("Name or address")
    expect(name).to_be_focused()
    name.fill("encamp")
    name.press("Enter")
    expect(page.locator(".result").first).to_contain_text(re.compile("EncampTown|Encamp6 km"))
    button(page, "Near").click()
    expect(page.locator(".result").first).to_contain_text("Playground")
    with page.expect_request(re.compile("places/near.*at=")):
        page.locator(".map canvas").click(position={"x": 60, "y": 60})
    expect(page.get_by_role("status").filter(has_text=re.compile("place"))).to_be_visible()
    page.locator("summary", has_text="Around another position").click()
    around = page.get_by_label("Position", exact=True)
    expect(around).not_to_have_value("")
    around.fill("42.5347,1.5803")
    around.press("Enter")
    expect(page.locator(".result", has_text="Farmacia D Encamp")).to_be_visible()
    button(page, "Around me").click()
    expect(page.locator(".result").first).to_contain_text("Playground")


@pytest.mark.thorough
def test_places_along_the_course(outside, opened):
    outside.daemon.call("course.unload")
    page = opened(outside.web, "places.html", allowed="Failed to load resource")
    filled(page, "places")
    button(page, "Along the course").click()
    expect(page.locator(".problem")).to_contain_text("no course is loaded")
    routes = opened(outside.web, f"routes.html?to={THERE[0]},{THERE[1]}&name=Caldea")
    button(routes, "Find routes").click()
    button(routes, "GO: follow route 1").click(timeout=60_000)
    expect(routes.get_by_role("heading", name="Guidance: Route to Caldea")).to_be_visible()
    button(page, "Near").click()
    button(page, "Along the course").click()
    expect(page.locator(".result", has_text="Pyrénées")).to_contain_text(re.compile(r"\d+ m ahead, \d+ m detour to the right"))


# Routes

def test_routes_are_ranked_and_one_becomes_the_course(outside, opened):
    outside.daemon.call("course.unload")
    page = opened(outside.web, "routes.html")
    search_routes(page)
    rows = page.get_by_role("radio")
    expect(rows).to_have_count(6)
    expect(rows.first).to_contain_text(re.compile(r"2\.32 km21 m up9 m down15:00steepest 3 %"))
    ups = [int(re.search(r"(\d+) m up", text)[1]) for text in rows.all_text_contents()]
    assert ups == sorted(ups)
    expect(rows.first).to_have_attribute("aria-checked", "true")
    rows.first.press("ArrowDown")
    expect(rows.nth(1)).to_be_focused()
    expect(rows.nth(1)).to_have_attribute("aria-checked", "true")
    assert page.locator(".profile path.line").count() == 6
    page.locator(".turns summary").click()
    expect(page.locator(".turn-list li")).to_contain_text(["Left", "Right"])
    button(page, "GO: follow route 2").click()
    name = "Route to 42.51200,1.54000"
    expect(page.get_by_role("heading", name=f"Guidance: {name}")).to_be_focused()
    expect(page.get_by_role("link", name="Start the run")).to_be_visible()
    loaded, = [one for one in outside.daemon.call("course.list") if one.get("loaded")]
    found = outside.net.call(
        "route.find", **{"from": {"lat": HERE[0], "lon": HERE[1]}, "to": {"lat": THERE[0], "lon": THERE[1]}, "profile": "walk"})
    route = found["routes"][1]
    assert loaded["name"] == name and loaded["points"] == route["turns"] == 2 and loaded["sport"] == "walk"
    assert abs(loaded["length_m"] - route["length_m"]) < 1 and abs(loaded["ascent_m"] - route["ascent_m"]) < 0.5


# Pixels of the canvas with a colour, in the middle of it: a seventh of the way beside the labels that begin there.
PIXEL = """([colour, part]) => {
    const canvas = document.querySelector('.map canvas:last-of-type');
    const { width, height } = canvas, ratio = width / canvas.getBoundingClientRect().width;
    const { data } = canvas.getContext('2d').getImageData(0, 0, width, height), found = [];
    const wanted = [1, 3, 5].map((digit) => parseInt(colour.slice(digit, digit + 2), 16));
    for (let index = 0; index < data.length; index += 4) {
        if (wanted.every((one, place) => one === data[index + place])) found.push(index / 4);
    }
    const pixel = found[Math.floor(found.length * part)];
    return pixel === undefined ? null : { x: pixel % width / ratio, y: Math.floor(pixel / width) / ratio };
}"""


def test_tap_on_a_line_chooses_it_and_a_long_press_sets_the_destination(outside, opened):
    page = opened(outside.web, "routes.html")
    search_routes(page)
    rows, spot, pane = page.get_by_role("radio"), page.locator(".side > [role=status]"), page.locator(".map-pane")

    def last_is_tapped():
        """Taps where the way of the last route alone is drawn."""
        for part in (0.1, 0.9, 0.3, 0.7):
            place = page.evaluate(PIXEL, ["#6d4326", part])
            if place:
                pane.click(position=place)
                if rows.nth(5).get_attribute("aria-checked") == "true" and spot.text_content():
                    return True
        return False

    wait_for(last_is_tapped, 60, "the last route chosen by its line")
    assert re.fullmatch(r"Route 6, to here: [\d.]+ k?m ↑ \d+ m", spot.text_content())
    # Beside the lines a tap leaves all as it is.
    pane.click(position={"x": 8, "y": 8})
    expect(rows).to_have_count(6)
    expect(rows.nth(5)).to_have_attribute("aria-checked", "true")
    pane.click(position={"x": 8, "y": 8}, button="right")
    expect(rows).to_have_count(0)
    expect(page.locator("dl.facts dd").nth(1)).to_have_text(re.compile(r"^42\.\d{5},1\.\d{5}$"))
    expect(spot).to_have_text("")


def test_name_is_completed_while_it_is_typed(outside, opened):
    page = opened(outside.web, "routes.html")
    field, results = page.get_by_label("Where to?"), page.locator("ul.results .result")
    field.press_sequentially("andorra l")
    expect(results.first).to_contain_text("Andorra la Vella")
    expect(field).to_be_focused()
    field.fill("avinguda meritxell, freedonia")
    expect(results.first).to_contain_text("Avinguda Meritxell")
    expect(page.locator("ul.results")).to_contain_text("these lack: freedonia")
    field.fill("an")
    expect(results).to_have_count(0)


@pytest.mark.thorough
def test_all_course_points_survive_the_file(outside, opened):
    page = opened(outside.web, "routes.html")
    kinds = [key.removeprefix("cue.") for key in page.evaluate("import('/texts/en.js').then(({ default: texts }) => Object.keys(texts))")
             if key.startswith("cue.")]
    assert len(kinds) > 50
    lines = [{"format": "paced-course", "version": 1, "name": "x", "sport": "ride"}]
    lines += [{"row": "vertex", "latitude": 42.5 + index / 1000, "longitude": 1.5, "altitude_m": 1000 + index} for index in range(len(kinds))]
    lines += [{"row": "course-point", "vertex": index, "type": kind, "name": f"{index} {HOSTILE[:19]}"} for index, kind in enumerate(kinds)]
    lines += [{"row": "course", "vertices": len(kinds), "points": len(kinds)}]
    answer = page.evaluate("""async (text) => {
        const [{ gpxOf, readCourse }, { request }] = await Promise.all([import('/course-file.js'), import('/api.js')]);
        const body = new Blob([gpxOf(readCourse(text), 'A & <B>')]);
        return (await request('/api/courses', { method: 'POST', body, query: { file: 'x.gpx' } })).json();
    }""", "\n".join(map(json.dumps, lines)))
    assert "A & <B>" in answer["message"]
    number = max(one["id"] for one in outside.daemon.call("course.list"))
    file = page.evaluate("""(id) => import('/api.js').then(({ getJSON }) =>
        getJSON(`/api/courses/${id}/file`, { format: 'geojson' }))""", number)
    points = [one["properties"] for one in file["features"] if one["geometry"]["type"] == "Point"]
    assert [(one["kind"], one["name"]) for one in points] == [(kind, f"{index} {HOSTILE[:19]}") for index, kind in enumerate(kinds)]
    track, = [one["geometry"]["coordinates"] for one in file["features"] if one["geometry"]["type"] == "LineString"]
    assert len(track) == len(kinds) and track[3][:2] == [1.5, 42.503] and track[3][2] == 1003
    outside.daemon.call("course.delete", id=number)


@pytest.mark.thorough
def test_destination_by_name_by_tap_and_from_the_address(outside, opened):
    page = opened(outside.web, f"routes.html?to=42.508,1.524&name={urllib.parse.quote(HOSTILE)}")
    ends = page.locator("dl.facts")
    expect(ends).to_contain_text(f"{HOSTILE} (42.50800,1.52400)")
    expect(ends).to_contain_text("My position")
    page.get_by_label("Where to?").fill("encamp")
    page.keyboard.press("Enter")
    match = page.locator(".results button").first
    expect(match).to_be_focused()
    expect(match).to_contain_text("Encamp")
    page.keyboard.press("Enter")
    expect(ends).to_contain_text("Encamp (42.53597,1.58366)")
    expect(button(page, "Find routes")).to_be_focused()
    button(page, "the start").click()
    page.locator(".map canvas").click(position={"x": 100, "y": 300})
    expect(button(page, "Start at my position")).to_be_visible()
    expect(button(page, "the destination")).to_have_attribute("aria-pressed", "true")
    with page.expect_request(lambda request: "route.find" in (request.post_data or "")) as asked:
        button(page, "Find routes").click()
    params = json.loads(asked.value.post_data)["params"]
    assert set(params) == {"from", "to", "profile"} and params["to"] == {"lat": 42.5359699, "lon": 1.5836606}
    expect(page.get_by_role("heading", name=re.compile("^6 routes"))).to_be_visible()
    button(page, "Start at my position").click()
    expect(ends).to_contain_text("My position")


def test_failures_of_the_route_engine_are_said(outside, opened):
    page = opened(outside.web, "routes.html?to=42.7,1.6", locale="de-DE", allowed="Failed to load resource")
    button(page, "Routen suchen").click()
    problem = page.get_by_role("alert").filter(has_text="Der Routendienst")
    expect(problem).to_contain_text("Der Routendienst lehnt die Anfrage ab.")
    expect(problem.locator("[lang=en]")).to_contain_text("datafile E5_N40.rd5 not found")
    expect(button(page, "Routen suchen")).to_be_enabled()


def test_board_without_internet_is_named_as_the_cause(outside, opened):
    def answer(route):
        request = route.request.post_data_json
        if request["method"] not in ("weather.at", "route.find"):
            return route.fallback()
        return route.fulfill(json={"jsonrpc": "2.0", "id": request["id"], "error": {
            "code": -32001, "message": "Unavailable", "data": {"reason": "unresolved", "message": UNRESOLVED}}})

    page = opened(outside.web, "weather.html", route=answer)
    filled(page, "weather")
    button(page, "Reload").click()
    expect(page.get_by_role("alert")).to_have_text("The board has no internet: nowhere.invalid is not found.")
    page = opened(outside.web, f"routes.html?to={THERE[0]},{THERE[1]}", route=answer)
    button(page, "Find routes").click()
    expect(page.get_by_role("alert").filter(has_text="The board has no internet: the address of the route engine is not found.")).to_be_visible()


# Buses

def test_buses_show_the_default_group_with_live_vehicles(outside, opened):
    page = opened(outside.web, "buses.html")
    filled(page, "buses")
    expect(page.locator(".live-state")).to_contain_text(re.compile(r"Made Transit · Live, \d+ s old"))
    expect(button(page, "Valley")).to_have_attribute("aria-pressed", "true")
    assert page.locator(".chips").first.locator("button").all_text_contents() == ["Valley", "Town"]
    expect(page.locator(".vehicles li")).to_have_count(2)
    expect(page.get_by_role("heading", name="Valley", exact=True)).to_be_visible()
    expect(page.get_by_text("No bus is on its way: L3.")).to_be_visible()
    expect(page.locator(".vehicles li").first).to_contain_text(re.compile(r"L1929 m E · 30\.6 km/h · many seats · seen \d+ s ago"))
    expect(page.locator(".warnings")).to_contain_text("L1: Road works on the bridge")
    expect(page.get_by_role("button", name=re.compile("^L3"))).to_contain_text(HOSTILE)
    button(page, "Town").press("Enter")
    expect(button(page, "Town")).to_have_attribute("aria-pressed", "true")
    expect(button(page, "Town")).to_be_focused()
    expect(page.get_by_text("No bus is on its way: L2.")).to_be_visible()
    expect(page.get_by_role("heading", name="L2 – Town", exact=True)).to_be_visible()
    expect(page.locator(".warnings")).to_be_hidden()
    page.reload()
    expect(button(page, "Town")).to_have_attribute("aria-pressed", "true")


@pytest.mark.thorough
def test_lines_are_drawn_in_their_colours(outside, opened):
    def colours(page):
        return set(page.evaluate("""() => {
            const canvas = document.querySelector('.map canvas');
            const pen = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
            pen.drawImage(canvas, 0, 0);
            const data = pen.getImageData(0, 0, canvas.width, canvas.height).data;
            const seen = new Set();
            for (let at = 0; at < data.length; at += 4) if (data[at + 3] === 255) seen.add(data.slice(at, at + 3).join());
            return [...seen];
        }"""))

    page = opened(outside.web, "buses.html")
    filled(page, "buses")
    blue, pale = "0,87,184", "221,221,221"
    wait_for(lambda: blue in colours(page), 60, "the colour of line L1")
    assert pale not in colours(page)
    page.locator(".chip", has_text="L2").click()
    wait_for(lambda: pale in colours(page), 60, "the colour of line L2")
    page.locator(".chip", has_text="L1").click()
    # Vehicles go with their line.
    wait_for(lambda: blue not in colours(page), 60, "a map without line L1")


def test_lines_are_searched_as_on_the_command_line(outside, opened):
    page = opened(outside.web, "buses.html")
    lines = [{"line": f"{number}", "code": f"B{number}", "name": "Blue Loop" if number < 3 else f"Road {number}",
              "section": "Campus" if number < 3 else "Community"} for number in range(14)]
    page.route("**/api/transit/lines", lambda route: route.fulfill(body="\n".join(map(json.dumps, lines))))
    page.reload()
    chips = page.get_by_role("group", name="Lines", exact=True).get_by_role("button")
    expect(chips).to_have_count(14)
    sections = page.get_by_role("group", name="Lines", exact=True).get_by_role("heading")
    expect(sections).to_have_text(["Campus", "Community"])
    page.get_by_label("Find a line").fill("blue LOOP")
    expect(chips).to_have_count(3)
    expect(sections).to_have_count(0)
    scope = page.get_by_label("How to find it")
    scope.select_option("exclude")
    expect(chips).to_have_count(11)
    scope.select_option("match")
    expect(chips).to_have_count(3)
    page.get_by_label("Find a line").fill("b1")
    expect(chips).to_have_text("B1 Blue Loop")
    page.get_by_label("Find a line").fill("b")
    expect(page.get_by_text("No line is found by this text.")).to_be_visible()


def drawn_at(page, colour):
    """Where the middle of what has this colour on the map is, in the window."""
    return page.evaluate("""(colour) => {
        const canvas = document.querySelector('.map canvas');
        const pen = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
        pen.drawImage(canvas, 0, 0);
        const data = pen.getImageData(0, 0, canvas.width, canvas.height).data;
        const [xs, ys] = [[], []];
        for (let at = 0; at < data.length; at += 4) {
            if (data.slice(at, at + 4).join() !== `${colour},255`) continue;
            xs.push(at / 4 % canvas.width);
            ys.push(Math.floor(at / 4 / canvas.width));
        }
        if (xs.length === 0) return null;
        const box = canvas.getBoundingClientRect();
        const middle = (list) => (Math.min(...list) + Math.max(...list)) / 2;
        return [box.left + middle(xs) * box.width / canvas.width, box.top + middle(ys) * box.height / canvas.height];
    }""", colour)


def rest(read):
    """What `read` returns once it is the same twice in a row: the map moves to what is new."""
    seen = [None]

    def is_same():
        seen.append(read())
        return seen[-1] is not None and seen[-1] == seen[-2]

    wait_for(is_same, 60, "a map at rest")
    return seen[-1]


def test_tapped_bus_has_a_panel(outside, opened):
    page = opened(outside.web, "buses.html")
    filled(page, "buses")
    outside.net.freeze()
    try:
        bus = {"id": "7", "line": "10", "code": "L1", "color": "#FF00FF", "latitude": 42.518, "longitude": 1.55,
               "bearing_deg": 65, "speed_mps": 8.5, "passengers": 31, "occupancy": "few-seats", "punctuality": "late",
               "direction": "Outbound", "observed": f"{now() - datetime.timedelta(seconds=20):%Y-%m-%dT%H:%M:%SZ}"}
        publish(outside.web, "transit", live=True, agency="CATA", vehicles=[bus], departures=[], alerts=[])
        page.mouse.click(*rest(lambda: drawn_at(page, "255,0,255")))
        panel = page.locator("section[aria-labelledby=bus-name]")
        expect(panel).to_be_focused()
        expect(panel.get_by_role("heading")).to_have_text("L1 – Sant Julià – Encamp")
        expect(panel.locator("dl")).to_have_text(re.compile(
            r"DirectionOutboundTimetableLateOn board31 on board, few seatsSpeed30\.6 km/hDistance.* NEPositionseen \d+ s ago"))
        entry = page.locator(".vehicles").get_by_role("button")
        expect(entry).to_have_attribute("aria-pressed", "true")
        publish(outside.web, "transit", live=True, agency="CATA", vehicles=[bus | {"punctuality": "on-time"}],
                departures=[], alerts=[])
        expect(panel.locator("dl")).to_contain_text("On time")
        panel.get_by_role("button", name="Close").click()
        expect(panel).to_be_hidden()
        expect(entry).to_be_focused()
        entry.press("Enter")
        publish(outside.web, "transit", live=True, agency="CATA", vehicles=[], departures=[], alerts=[])
        expect(panel).to_contain_text("This bus is no longer reported.")
        panel.get_by_role("button", name="Close").press("Enter")
        expect(panel).to_be_hidden()
    finally:
        outside.net.thaw()


def test_stops_of_the_lines_are_on_the_map(outside, opened):
    # The middles of the squares that the map draws last.
    script = """const rect = CanvasRenderingContext2D.prototype.rect;
        const clear = CanvasRenderingContext2D.prototype.clearRect;
        CanvasRenderingContext2D.prototype.clearRect = function (...box) { window.squares = []; clear.apply(this, box); };
        CanvasRenderingContext2D.prototype.rect = function (x, y, width, height) {
            window.squares.push([x + width / 2, y + height / 2, width]);
            rect.call(this, x, y, width, height);
        }"""
    page = opened(outside.web, "buses.html")
    page.add_init_script(script)
    page.reload()
    filled(page, "buses")
    closest = button(page, "Closest stop: Plaça, 83 m SE")
    expect(closest).to_be_visible()
    squares = rest(lambda: sorted(page.evaluate("window.squares")))
    # Four stops of L1, the end of L3, and the closest one is larger.
    assert len(squares) == 5 and [width for _, _, width in squares].count(14) == 1, squares
    box = page.locator(".map canvas").bounding_box()
    x, y, _ = squares[-1]
    page.mouse.click(box["x"] + x, box["y"] + y)
    expect(page.get_by_role("heading", name="Encamp", exact=True)).to_be_visible()
    button(page, "Town").click()
    expect(button(page, "Closest stop: Plaça, 83 m SE")).to_be_visible()
    closest.press("Enter")
    expect(page.get_by_role("heading", name="Plaça", exact=True)).to_be_visible()


def test_bus_that_comes_near_and_a_line_that_is_not_followed_are_told(outside, opened):
    page = opened(outside.web, "buses.html")
    filled(page, "buses")
    outside.net.freeze()
    try:
        def publish_bus(north, **more):
            bus = {"id": "7", "line": "10", "code": "L1", "direction": "Outbound", "latitude": HERE[0] + north, "longitude": HERE[1]}
            publish(outside.web, "transit", live=True, vehicles=[bus | more], departures=[], alerts=[], lines=["10"])

        notice = page.locator(".line.notice")
        publish_bus(0.006)
        expect(page.locator(".vehicles")).to_contain_text("667 m N")
        expect(notice).to_be_hidden()
        expect(page.get_by_text("Not among the lines that paced-net follows (Lines= in paced-net.conf): L3.")).to_be_visible()
        publish_bus(0.004)
        expect(notice).to_have_text("Bus L1 Outbound is near: 445 m N")
        notice.click()
        publish_bus(0.003, speed_mps=5)
        expect(page.locator(".vehicles")).to_contain_text("334 m N")
        expect(notice).to_be_hidden()
    finally:
        outside.net.thaw()


def test_departures_of_a_stop(outside, opened):
    page = opened(outside.web, "buses.html")
    page.get_by_role("button", name=re.compile("^Plaça")).click()
    card = page.locator("section:visible", has=page.get_by_role("heading", name="Plaça"))
    expect(card).to_be_focused()
    expect(card.locator("li").first).to_contain_text(re.compile(r"\d+ min(L1|L2)"))
    expect(card).to_contain_text("takes bikes")
    expect(card).to_contain_text(re.compile(r"live · planned \d+:\d\d"))
    button(page, "Close").click()
    expect(page.get_by_role("button", name=re.compile("^Plaça"))).to_be_focused()
    expect(page.get_by_role("heading", name="Departures of your stops")).to_be_visible()
    stop = page.get_by_label("Name, code or position of a stop")
    stop.fill("104")
    stop.press("Enter")
    expect(page.locator(".result")).to_have_count(1)
    expect(page.locator(".result")).to_contain_text("Encamp")
    page.locator(".result").click()
    expect(page.get_by_text(re.compile("No bus leaves in the next 24 hours"))).to_be_visible()
    stop.fill("script")
    stop.press("Enter")
    expect(page.locator(".result")).to_contain_text(HOSTILE)
    stop.fill("nothing")
    stop.press("Enter")
    expect(page.get_by_text("No stop has this text.")).to_be_visible()


def test_way_home(outside, opened):
    page = opened(outside.web, "buses.html")
    button(page, "Next way home").click()
    first = page.locator(".journey").first
    expect(first).to_contain_text("Walk 83 m to Plaça")
    expect(first).to_contain_text("L2")
    expect(first).to_contain_text("Walk 37 m home")
    expect(page.get_by_text(re.compile(r"The last way home: leave at \d+:\d\d"))).to_be_visible()
    page.get_by_label("I have a bike with me").check()
    button(page, "Next way home").click()
    expect(page.get_by_text(re.compile("There is no way home"))).to_be_visible()


def test_timetable_alone_is_named(outside, opened):
    page = opened(outside.web, "buses.html")
    filled(page, "buses")
    # paced-net publishes nothing meanwhile.
    outside.net.freeze()
    try:
        publish(outside.web, "transit", live=False, reason=UNRESOLVED, agency="CATA", vehicles=[], departures=[], alerts=[])
        expect(page.locator(".live-state")).to_have_text(
            "CATA · By the timetable only, not live. The board has no internet: nowhere.invalid is not found.")
        expect(page.get_by_text("Where the buses are is known with live data only.")).to_be_visible()
    finally:
        outside.net.thaw()


def test_text_of_a_vehicle_that_cannot_be_broken_is_no_wider_than_the_page(outside, opened):
    page = opened(outside.web, "buses.html")
    filled(page, "buses")
    outside.net.freeze()
    try:
        publish(outside.web, "transit", live=True, agency="CATA", departures=[], alerts=[], vehicles=[{
            "id": "v0", "line": "10", "code": "L1", "direction": "M" * 64, "latitude": 42.51, "longitude": 1.53}])
        expect(page.locator(".vehicles")).to_contain_text("M" * 64)
        assert narrow_widths(page) == []
    finally:
        outside.net.thaw()
