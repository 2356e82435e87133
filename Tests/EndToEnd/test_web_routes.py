"""The page of routes, in Debian's chromium, with paced-net beside a route engine."""

import json
import re
import threading

import pytest
from playwright.sync_api import expect

from harness.browser import button, violations
from harness.paced_net import PacedNet, StandingGpsd
from harness.paced_web import PacedWeb, themes
from harness.route_engine import RouteEngine, brouter_answer, winding
from harness.timing import wait_for
from harness.weather_server import response
from matrix import matrix

HERE, THERE = (42.5075, 1.521), (42.512, 1.54)


class Trips:
    """A daemon at a place, `paced-net` with a route engine, and the pages."""

    def __init__(self, stage):
        self.gpsd = stage.keep(StandingGpsd(HERE))
        self.daemon = stage.paced("--gpsd", self.gpsd.option, "--sensors", "off")
        wait_for(lambda: "position" in self.daemon.call("status"), 60, "a position")
        self.engine = stage.keep(RouteEngine(self.reply))
        self.refuses, self.gate = False, threading.Event()
        self.gate.set()
        stage.start(PacedNet(stage.directory, self.daemon.runtime,
                             configuration=f"[Routes]\nEngine={self.engine.address}\n"))
        self.web = stage.start(PacedWeb(stage.directory, self.daemon))

    def reply(self, request):
        """Ways with a hill between the places, each alternative with its bulge, once the gate is open."""
        self.gate.wait()
        if self.refuses:
            return response(400, "no track found", content_type="text/plain")
        places = [(place[1], place[0]) for place in RouteEngine.places(request.parameters)]
        number = int(request.parameters["alternativeidx"]) + (3 if "profile:uphillcost" in request.parameters else 0)
        points = [point for start, end in zip(places, places[1:])
                  for point in winding(start, end, 15 + 31 * number, (number - 2) * 0.35, count=60)]
        return brouter_answer(points, voicehints=[[20, 2, 0, 100, -90], [40, 13, 2, 100, 0]], **{"total-time": "900"})

    def stand(self, place):
        """Moves to a place, and waits until the daemon is there: it doubts a jump at first."""
        self.gpsd.place = place
        wait_for(lambda: abs(self.daemon.call("status")["position"]["latitude"] - place[0]) < 1e-4, 60, "the new position")

    def courses(self):
        return self.daemon.call("course.list")


@pytest.fixture(scope="module")
def trips(long_stage):
    return Trips(long_stage)


@pytest.fixture
def opened(pages, trips):
    """Opens the page with a destination, at the start."""
    trips.stand(HERE)

    def opened(width=1024, path=f"routes.html?to={THERE[0]},{THERE[1]}&name=Caldea", **options):
        page = pages.open(trips.web, path, width=width, **options)
        expect(page.locator("dl.facts dd").first).to_have_text("My position")
        return page

    return opened


class Search:
    """Waits for the routes of a search that happens inside; `params` are those of its request."""

    def __init__(self, page):
        self.page = page

    def __enter__(self):
        self.expected = self.page.expect_request(lambda request: '"route.find"' in (request.post_data or ""))
        self.asked = self.expected.__enter__()
        return self

    def __exit__(self, *failure):
        self.expected.__exit__(*failure)
        if failure[0] is None:
            self.params = json.loads(self.asked.value.post_data)["params"]
            heading = self.page.locator("h2:visible", has_text=re.compile(r"^(\d+ (route|round trip)|Guidance)"))
            expect(heading).to_be_visible()


def searched(page):
    with Search(page) as search:
        button(page, "Find routes").click()
    return search.params


# A pixel of the chosen line, on the canvas of the map, a part of them from the top.
ON_LINE = """(part) => {
    const canvas = document.querySelector('.map canvas:last-of-type'), { width, height } = canvas;
    const pen = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
    pen.drawImage(canvas, 0, 0);
    const ratio = width / canvas.getBoundingClientRect().width;
    const { data } = pen.getImageData(0, 0, width, height), found = [];
    for (let at = 0; at < data.length; at += 4) {
        if (data[at] === 0 && data[at + 1] === 99 && data[at + 2] === 41) found.push(at / 4);
    }
    const pixel = found[Math.floor(found.length * part)];
    return pixel === undefined ? null : [pixel % width / ratio, Math.floor(pixel / width) / ratio];
}"""


def drag(page, start, end, steps=5):
    """Drags from a place of the map to another one."""
    box = page.locator(".map-pane").bounding_box()
    x, y = box["x"], box["y"]
    page.mouse.move(x + start[0], y + start[1])
    page.mouse.down()
    page.mouse.move(x + end[0], y + end[1], steps=steps)
    yield
    page.mouse.up()


def test_dragged_line_is_searched_again_through_that_place(opened):
    page = opened()
    assert "via" not in searched(page)
    wait_for(lambda: page.evaluate(ON_LINE, 0.5), 60, "the chosen line")
    (x, y), preview = page.evaluate(ON_LINE, 0.5), page.locator(".map-preview")
    # A few pixels are no drag, and no tap that throws away the routes.
    list(drag(page, (x, y), (x + 5, y + 4)))
    expect(page.locator(".via-list li")).to_have_count(0)
    with Search(page) as first:
        for _ in drag(page, (x, y), (x + 60, y + 80)):
            expect(preview).to_be_visible()
    expect(preview).to_be_hidden()
    via, = first.params["via"]
    assert first.params["to"] == {"lat": THERE[0], "lon": THERE[1]}
    expect(page.locator(".via-list li")).to_have_text([f"1Point 1: {via['lat']:.5f},{via['lon']:.5f}Remove"])
    # A point is dragged as the line is.
    at = (x + 60, y + 80)
    with Search(page) as second:
        list(drag(page, at, (at[0] - 40, at[1] - 30)))
    moved, = second.params["via"]
    assert moved["lat"] > via["lat"] and moved["lon"] < via["lon"]
    # Beside the line, the map is moved.
    list(drag(page, (20, 20), (90, 60)))
    expect(page.locator(".via-list li")).to_have_count(1)
    with Search(page) as last:
        button(page, "Remove point 1").press("Enter")
    assert "via" not in last.params


def test_points_are_added_and_removed_by_keyboard(opened, trips):
    page = opened()
    add, points = button(page, "Add the middle of the map"), page.locator(".via-list li")
    for count in range(1, 9):
        add.press("Enter")
        expect(points).to_have_count(count)
    expect(page.get_by_text("8 points are the most.")).to_be_visible()
    expect(add).to_be_disabled()
    expect(button(page, "Remove point 8")).to_be_focused()
    button(page, "Remove point 8").press("Enter")
    expect(button(page, "Remove point 7")).to_be_focused()
    # A search that fails leaves the focus where it is.
    trips.refuses = True
    page.evaluate("document.querySelector('.main').dispatchEvent(new MouseEvent('click'))")
    expect(page.get_by_role("alert")).to_contain_text("There is no route to this place.")
    trips.refuses = False
    expect(button(page, "Remove point 7")).to_be_focused()
    expect(add).to_be_enabled()
    assert len(searched(page)["via"]) == 7
    # Another destination has its own points.
    page.get_by_label("Where to?").fill("42.51,1.53")
    button(page, "Search").click()
    expect(points).to_have_count(0)
    expect(page.get_by_role("radio")).to_have_count(0)


def test_swapped_ends_are_searched_again(opened):
    page = opened()
    searched(page)
    with Search(page) as search:
        button(page, "Swap start and destination").click()
    here, there = ({"lat": place[0], "lon": place[1]} for place in (HERE, THERE))
    assert search.params == {"profile": "walk", "from": there, "to": here}
    expect(page.locator("dl.facts dd").nth(1)).to_have_text("My position (42.50750,1.52100)")
    expect(page.locator("dl.facts")).to_contain_text("Caldea")


def test_round_trips_say_how_far_they_are_from_the_wished_length(opened, trips):
    page = opened()
    button(page, "Round trip").click()
    for hidden in ("Where to?", "Swap start and destination"):
        expect(page.get_by_text(hidden)).to_be_hidden()
    length = page.get_by_label("Length (km)")
    length.fill("0.3")
    button(page, "Find routes").click()
    expect(length).to_be_focused()
    length.fill("4.5")
    params = searched(page)
    assert params == {"profile": "walk", "from": params["from"], "length_m": 4500}
    row = page.get_by_role("radio").first
    expect(row).to_contain_text(re.compile(r"\d than you wish|As long as you wish|(longer|shorter) than you wish"))
    page.reload()
    button(page, "Round trip").click()
    expect(length).to_have_value("4.5")
    button(page, "To a place").click()
    expect(page.get_by_label("Where to?")).to_be_visible()


def test_route_is_saved_without_being_loaded(opened, trips):
    trips.daemon.call("course.unload")
    page = opened()
    searched(page)
    before = {course["id"] for course in trips.courses()}
    button(page, "Save").click()
    notice = page.locator(".line.notice")
    expect(notice).to_have_text("Route to Caldea is stored as a course. Open the course")
    saved, = [course for course in trips.courses() if course["id"] not in before]
    assert saved["name"] == "Route to Caldea" and not saved.get("loaded")
    expect(notice.get_by_role("link")).to_have_attribute("href", f"/courses.html#{saved['id']}")
    button(page, "Save").click()
    expect(notice).to_have_text("The list of courses has Route to Caldea already. Open the course")
    trips.daemon.call("course.delete", id=saved["id"])


@pytest.mark.parametrize("theme", matrix(themes(), "e-ink"))
def test_guidance_begins_before_a_run_and_looks_for_a_new_route(opened, trips, theme):
    trips.daemon.call("course.unload")
    page = opened(theme=theme, width=360, height=740)
    button(page, "Add the middle of the map").click()
    asked = searched(page)
    button(page, "GO: follow route 1").click()
    heading, guide = page.get_by_role("heading", name="Guidance: Route to Caldea"), page.locator(".guide")
    expect(heading).to_be_focused()
    expect(guide.locator("b")).to_have_text(re.compile(r"^\d+ m$"))
    expect(guide.get_by_role("status").first).to_have_text("Left")
    expect(guide).to_contain_text(re.compile(r"then Roundabout, exit 2 in [\d.]+ k?m"))
    expect(guide).to_contain_text(re.compile(r"[\d.]+ km left"))
    expect(guide.locator(".arrow svg")).to_have_attribute("data-sign", "left")
    expect(guide.get_by_role("link", name="Start the run")).to_have_attribute("href", "/")
    expect(button(page, "Direction up")).to_have_attribute("aria-pressed", "true")
    assert violations(page) == []
    page.reload()
    expect(guide.get_by_role("status").first).to_have_text("Left")
    expect(guide).to_contain_text(re.compile(r"[\d.]+ km left, \d+ m of ascent"))
    old = next(course["id"] for course in trips.courses() if course.get("loaded"))
    page.clock.install()
    trips.stand((HERE[0] - 0.003, HERE[1]))
    expect(guide.get_by_role("status").first).to_have_text("Off course: go N")
    trips.refuses = True
    page.clock.fast_forward(21_000)
    expect(guide).to_contain_text("No new route: There is no route to this place.")
    trips.refuses = False
    trips.gate.clear()
    with Search(page) as search:
        page.clock.fast_forward(31_000)
        expect(guide).to_contain_text("No new route: There is no route to this place.")
        trips.gate.set()
    assert search.params == {"profile": "walk", "to": {"lat": THERE[0], "lon": THERE[1]}, "via": asked["via"],
                             "from": {"lat": pytest.approx(HERE[0] - 0.003), "lon": pytest.approx(HERE[1])}}
    expect(guide).to_contain_text("New route.")
    expect(guide.get_by_role("status").first).to_have_text("Left")
    # The course that it replaces is deleted.
    loaded, = [course for course in trips.courses() if course.get("loaded")]
    assert loaded["id"] != old and old not in [course["id"] for course in trips.courses()]
    trips.stand(THERE)
    expect(guide).to_contain_text("You have arrived.")
    expect(guide.get_by_role("link", name="Start the run")).to_be_hidden()
    button(page, "Close").click()
    expect(guide).to_be_hidden()
    expect(button(page, "Find routes")).to_be_disabled()
    page.reload()
    expect(page.locator("dl.facts dd").first).to_have_text("My position")
    expect(guide).to_be_hidden()


@pytest.mark.thorough
def test_list_keeps_the_course_that_it_had_before(opened, trips):
    page = opened()
    searched(page)
    button(page, "Save").click()
    expect(page.locator(".line.notice")).to_contain_text("Route to Caldea")
    button(page, "GO: follow route 1").click()
    guide = page.locator(".guide")
    expect(guide.get_by_role("status").first).to_have_text("Left")
    saved = next(course["id"] for course in trips.courses() if course.get("loaded"))
    page.clock.install()
    trips.stand((HERE[0] - 0.003, HERE[1]))
    expect(guide.get_by_role("status").first).to_have_text("Off course: go N")
    trips.gate.clear()
    page.clock.fast_forward(21_000)
    expect(guide).to_contain_text("Off the route: looking for a new one.")
    trips.gate.set()
    expect(guide).to_contain_text("New route.")
    assert saved in [course["id"] for course in trips.courses()]
    trips.daemon.call("course.unload")
    expect(guide.locator(".guide-next")).to_be_hidden()
    page.clock.fast_forward(31_000)
    expect(guide).to_contain_text("Another course is loaded: the route is no longer followed.")
