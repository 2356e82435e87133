"""The pages activities, activity, report, badges and courses of paced-web, in Debian's chromium without a screen."""

import datetime
import json
import re
import subprocess
import urllib.parse

import pytest
from playwright.sync_api import expect

from harness.browser import button, narrow_widths, violations
from harness.paced_web import PacedWeb, themes
from harness.process import PACECTL, ROOT
from harness.timing import wait_for
from matrix import matrix
from test_report import HOSTILE, gpx, tcx, way

COURSES = ROOT / "Tests/Data/courses"
RUN = ROOT / "Tests/Data/fit/run-fenix2-9km.fit"
FORMATS = ["FIT", "GPX", "TCX", "KML", "GeoJSON", "CSV"]


class History:
    """paced without sensors, paced-web beside it, and pacectl for both."""

    def __init__(self, stage):
        self.directory = stage.directory
        self.daemon = stage.paced("--gpsd", "off", "--bluetooth", "off")
        wait_for(lambda: self.daemon.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
        self.web = stage.start(PacedWeb(stage.directory, self.daemon))

    def pacectl(self, *words):
        return subprocess.run(
            [PACECTL, "--runtime-dir", self.daemon.runtime, "--state-dir", self.directory / "state", *map(str, words)],
            capture_output=True, text=True, check=True).stdout

    def write(self, name, text):
        path = self.directory / name
        path.write_text(text)
        return path

    def track(self, name, seconds, day, title="A run", **options):
        return self.write(name, gpx(way(seconds, **options), title).replace("2026-03-01", day))

    def add(self, *words):
        """The number of the activity that a file becomes."""
        return int(re.search(r"is activity (\d+):", self.pacectl("import", "--again", *words))[1])

    def activity(self, number):
        return self.daemon.call("activities.get", id=number)["summary"]

    def wait_for_runs(self, *are_open):
        """Waits until the journal, which paced-web reads, has these runs."""
        wait_for(lambda: [one["open"] for one in self.daemon.call("activities.list")] == list(are_open), 60, "the runs")

    def courses(self):
        return self.daemon.call("course.list")


@pytest.fixture(scope="module")
def history(long_stage):
    """Activities: 1 a ride of two laps with power, 2 a run of 11 km with a hostile name, 3 an indoor ride, 4 a real run;
    courses: 1 with points and climbs."""
    history = History(long_stage)
    history.add(history.write("ride.tcx", tcx(6000)))
    history.add("--sport", "run", history.track("long.gpx", 3600, "2025-11-03", HOSTILE))
    history.add(history.write("indoor.tcx", tcx(1200, isIndoor=True).replace("2026-03-01", "2026-03-09")))
    history.add(RUN)
    history.pacectl("course", "import", COURSES / "cptr003.gpx")
    return history


@pytest.fixture
def own(stage):
    """A history of one test."""
    return History(stage)


def entries(page):
    return page.locator("a.entry")


def heading(page):
    return page.get_by_role("heading", level=1)


def fault(page):
    return page.locator(".line.fault:visible")


def notice(page):
    return page.locator(".line.notice:visible")


def drawn(page, selector=".map canvas"):
    """Whether a canvas has a pixel that is not empty. It reads a copy: chromium warns of repeated reads of a canvas."""
    return page.locator(selector).evaluate("""node => {
        const pen = new OffscreenCanvas(node.width, node.height).getContext('2d', { willReadFrequently: true });
        pen.drawImage(node, 0, 0);
        return pen.getImageData(0, 0, node.width, node.height).data.some((value) => value > 0);
    }""")


def fold(page, title):
    """Opens a part of the page that is folded."""
    page.locator("summary", has_text=title).click()


# All pages

READY = {
    "activities.html": "a.entry", "activity.html#1": ".map canvas", "activity.html#3": "table", "badges.html": ".badge",
    "courses.html": "a.entry", "courses.html#1": ".map canvas"}


@pytest.mark.parametrize("path", matrix(READY, "activities.html", "activity.html#1"))
def test_page_is_accessible_and_has_no_error(history, pages, path):
    for theme in themes():
        page = pages.open(history.web, path, theme=theme)
        expect(page.locator(READY[path]).first).to_be_visible()
        for summary in page.locator("main summary").all():
            summary.click()
        assert violations(page) == [], theme


@pytest.mark.parametrize("path", matrix(READY, "activity.html#1"))
def test_page_is_as_wide_as_the_screen(history, pages, path):
    page = pages.open(history.web, path, width=320, locale="de-DE")
    expect(page.locator(READY[path]).first).to_be_visible()
    for summary in page.locator("main summary").all():
        summary.click()
    assert narrow_widths(page) == []


@pytest.mark.parametrize("path", matrix(READY, "courses.html"))
def test_targets_have_48_pixels(history, pages, path):
    page = pages.open(history.web, path, width=320)
    expect(page.locator(READY[path]).first).to_be_visible()
    for summary in page.locator("main summary").all():
        summary.click()
    sizes = page.eval_on_selector_all(
        "main :is(a, button, summary, select, input:not([type=checkbox]))",
        """nodes => nodes.filter((node) => node.offsetParent && !node.closest('.map-buttons'))
          .map((node) => [node.outerHTML.slice(0, 80), node.getBoundingClientRect().height])""")
    assert sizes and [one for one in sizes if one[1] < 47.5] == []


@pytest.mark.thorough
def test_german_has_each_text(history, pages):
    page = pages.open(history.web, "activities.html", locale="de-DE")
    expect(heading(page)).to_have_text("Aktivitäten")
    expect(entries(page).filter(has_text="Radfahren").first).to_contain_text("10,71 km")
    for path in READY:
        page.goto(f"{history.web.url}/{path}")
        expect(page.locator(READY[path]).first).to_be_visible()
        assert re.findall(r"\b(?:activit(?:y|ies)|history|badges|courses|best|format)\.\w+", page.locator("body").inner_text()) == []


def test_languages_have_the_same_texts_and_those_that_the_pages_use():
    texts = {
        language: set(re.findall(r"^  '([^']+)':", (ROOT / f"web/texts/{language}.js").read_text(), re.MULTILINE))
        for language in ("en", "de")}
    pages = [ROOT / f"web/{name}.js" for name in ("history", "activities", "badges", "courses", "report", "figure-words", "trash",
                                                "trash-link", "overview", "week-bars", "calendar",
                                                "place-filter", "power-curve")]
    for path in [*pages, *(ROOT / "web").glob("activity*.js")]:
        used = set(re.findall(r"\bt\('([^']+)'", path.read_text()))
        for language, known in texts.items():
            plural = {key.removesuffix(".other") for key in known}
            assert used <= known | plural, (path.name, language)
    kinds = r"(activit(y|ies)|history|badges|courses|best|format|trash|charts|laps|losses|compare)\."
    own = {key for keys in texts.values() for key in keys if re.match(kinds, key)}
    assert own <= texts["en"] & texts["de"]


@pytest.mark.thorough
def test_who_may_only_watch_sees_why_nothing_can_be_changed(history, pages):
    for path, hidden in {
        "activities.html": ["Import"], "activity.html#1": ["Put in the trash", "Edit"],
        "courses.html": ["Upload a file", "Virtual partner", "Unload"], "courses.html#1": ["Load", "Rename", "Put in the trash"],
    }.items():
        page = pages.open(history.web, path, scope="watch")
        expect(page.locator(READY[path]).first).to_be_visible()
        expect(page.get_by_text("This browser may only watch.")).to_be_visible()
        for name in hidden:
            expect(page.get_by_text(name, exact=True)).to_have_count(0)


@pytest.mark.thorough
@pytest.mark.parametrize("path", ["activity.html#1", "courses.html#1"])
def test_skipping_to_the_content_keeps_what_is_shown(history, pages, path):
    page = pages.open(history.web, path)
    expect(page.locator(READY[path]).first).to_be_visible()
    title = heading(page).inner_text()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="← All")).to_be_focused()
    expect(heading(page)).to_have_text(title)
    assert page.url == f"{history.web.url}/{path}"


# The list

def test_list_has_months_with_totals(history, pages):
    page = pages.open(history.web, "activities.html")
    expect(page.locator(".month h2")).to_have_text(["March 2026", "November 2025", "August 2015"])
    march = page.locator(".month").first
    expect(march).to_contain_text("2 activities")
    total = sum(history.activity(number)["distance_m"] for number in (1, 3))
    expect(march).to_contain_text(f"{total / 1000:.2f} km")
    expect(entries(page)).to_have_count(4)
    expect(entries(page).first).to_contain_text("Mon 9 Mar, 7:00")
    expect(entries(page).nth(2).locator(".name")).to_have_text(history.activity(2)["name"])


def test_entries_have_a_drawing_of_the_route_or_the_picture_of_the_sport(history, pages):
    page = pages.open(history.web, "activities.html", width=1024, height=1400, scope="watch")
    route = page.locator(".thumbnail path:not(.sport)")
    expect(route).to_have_count(3)
    expect(page.locator(".thumbnail .sport")).to_have_count(1)
    assert page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('paced.route'))") == []
    kept = "Object.keys(sessionStorage).filter((key) => key.startsWith('paced.route')).length"
    assert page.evaluate(kept) == 4
    asked = []
    page.on("request", lambda request: asked.append(request) if "activities.track" in (request.post_data or "") else None)
    page.reload()
    expect(route).to_have_count(3)
    assert asked == []
    page.locator(".display summary").click()
    button(page, "Sign out").click()
    expect(page.get_by_label("Code")).to_be_visible()
    assert page.evaluate(kept) == 0


@pytest.mark.thorough
def test_activities_of_now_are_summed_by_week_month_and_year(own, pages):
    for _ in range(2):
        own.daemon.call("run.start")
        wait_for(lambda: own.daemon.call("status")["elapsed_ms"] > 500, 60, "half a second")
        own.daemon.call("run.stop")
    own.wait_for_runs(False, False)
    page = pages.open(own.web, "activities.html")
    expect(page.locator(".period")).to_contain_text(["This week", "This month", "This year"])
    for period in page.locator(".period").all():
        expect(period).to_contain_text("2 activities")


def test_table_of_totals(history, pages):
    page = pages.open(history.web, "activities.html")
    fold(page, "Totals")
    rows = page.locator(".all-periods tbody tr")
    expect(rows.first).to_contain_text("Mar 2026")
    page.get_by_label("Period").select_option("year")
    expect(rows.locator("td:first-child")).to_have_text(["2026", "2025", "2015"])
    page.get_by_label("Period").select_option("week")
    expect(rows.first).to_contain_text("Week 11, 2026")


def test_a_bar_filters_to_its_week_and_a_day_to_itself(own, pages):
    today = datetime.date.today()
    monday = today - datetime.timedelta(days=today.weekday() + 7)
    for number, (days, sport) in enumerate([(0, "run"), (2, "ride"), (-7, "run")]):
        own.add("--sport", sport, own.track(f"{number}.gpx", 600, str(monday + datetime.timedelta(days=days)), f"Number {number}"))
    page = pages.open(own.web, "activities.html", width=1024)
    expect(entries(page)).to_have_count(3)
    bars = page.locator(".weeks button")
    expect(bars).to_have_count(52)
    expect(bars.nth(-2).locator("span")).to_have_count(2)
    expect(bars.nth(-2)).to_have_accessible_name(re.compile("2 activities"))
    bars.nth(-2).click()
    expect(entries(page)).to_have_count(2)
    expect(bars.nth(-2)).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_label("From", exact=True)).to_have_value(str(monday))
    button(page, "The days before").click()
    expect(entries(page).locator(".name")).to_have_text(["Number 2"])
    button(page, "All days").click()
    expect(entries(page)).to_have_count(3)
    bars.nth(-1).focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(entries(page)).to_have_count(2)
    expect(bars.nth(-2)).to_be_focused()
    page.keyboard.press("Enter")
    expect(entries(page)).to_have_count(3)
    button(page, "Calendar").click()
    day = page.locator(".month-grids button")
    expect(day).to_have_count(3)
    day.last.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(entries(page).locator(".name")).to_have_text(["Number 0"])
    assert violations(page) == []


@pytest.mark.thorough
def test_calendar_reads_earlier_years(history, pages):
    page = pages.open(history.web, "activities.html")
    page.clock.set_fixed_time("2026-03-20T12:00:00Z")
    page.reload()
    button(page, "Calendar").click()
    expect(page.locator(".month-grids button")).to_have_count(2)
    for _ in range(4):
        button(page, "Earlier months").click()
    expect(page.locator(".calendar .steps")).to_contain_text("November 2025")
    expect(page.locator(".month-grids button")).to_have_accessible_name(re.compile("Monday, 3 November 2025"))


def test_search_by_name_sport_and_date(history, pages):
    page = pages.open(history.web, "activities.html", width=1024)
    for text, count in [("", 4), ("onerror", 1), ("ride", 2), ("2025-11-03", 1), ("march 2026", 2), ("run november", 1),
                        ("nothing", 0), ("monday ride", 1)]:
        page.get_by_label("Search by name, sport or date").fill(text)
        expect(entries(page)).to_have_count(count)
        expect(page.get_by_text("No activity matches.")).to_have_count(0 if count else 1)


def test_filter_by_sport_and_days(history, pages):
    page = pages.open(history.web, "activities.html", width=1024)
    page.locator(".filters select").first.select_option("ride")
    expect(entries(page)).to_have_count(2)
    page.get_by_label("To", exact=True).fill("2026-03-05")
    expect(entries(page)).to_have_count(1)
    expect(page.locator(".month")).to_contain_text("1 activity")
    page.locator(".filters select").first.select_option("")
    expect(entries(page)).to_have_count(3)
    page.get_by_label("From", exact=True).fill("2025-01-01")
    expect(entries(page)).to_have_count(2)


def test_search_by_distance_and_place(history, pages):
    page = pages.open(history.web, "activities.html", width=1024, allowed="422")
    expect(entries(page)).to_have_count(4)
    lengths = {number: history.activity(number)["distance_m"] / 1000 for number in (1, 2, 3, 4)}
    page.get_by_label("At least (km)").fill(f"{lengths[1] - 0.01:.2f}")
    expect(entries(page)).to_have_count(len([one for one in lengths.values() if one > lengths[1] - 0.01]))
    expect(page.locator(".month p")).to_have_count(0)
    page.get_by_label("At most (km)").fill(f"{lengths[1] + 0.01:.2f}")
    expect(entries(page)).to_have_count(1)
    for name in ("At least (km)", "At most (km)"):
        page.get_by_label(name).fill("")
    expect(entries(page)).to_have_count(4)
    near = page.get_by_role("combobox", name="Near")
    near.select_option("activity")
    page.locator(".filters .stack select").select_option("2")
    expect(entries(page).locator(".name")).to_have_text([history.activity(2)["name"]])
    near.select_option("position")
    expect(page.get_by_text("The receiver has no position.")).to_be_visible()
    page.route("**/api/places/search?*", lambda route: route.fulfill(json={"features": [
        {"geometry": {"coordinates": [13.0, 52.0]}, "properties": {"name": "Start", "kind": "place"}}]}))
    near.select_option("name")
    page.get_by_label("Name of the place").fill("start")
    page.keyboard.press("Enter")
    button(page, "Start").click()
    expect(page.get_by_text("Near Start")).to_be_visible()
    expect(entries(page)).to_have_count(1)
    page.get_by_role("combobox", name="Within").select_option("500")
    expect(entries(page)).to_have_count(1)
    near.select_option("")
    expect(entries(page)).to_have_count(4)
    assert violations(page) == []


def test_who_comes_back_from_an_activity_finds_the_same_list(history, pages):
    page = pages.open(history.web, "activities.html", width=1024)
    page.get_by_label("From", exact=True).fill("2026-01-01")
    page.locator(".filters select").first.select_option("ride")
    expect(entries(page)).to_have_count(2)
    entries(page).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ride")
    page.go_back()
    expect(page.get_by_label("From", exact=True)).to_have_value("2026-01-01")
    expect(page.locator(".filters select").first).to_have_value("ride")
    expect(entries(page)).to_have_count(2)
    page.goto(f"{history.web.url}/activities.html")
    expect(entries(page)).to_have_count(4)


@pytest.mark.thorough
def test_older_activities_come_by_a_button(own, pages):
    files = [own.track(f"{number}.gpx", 20, f"20{10 + number // 12:02}-{number % 12 + 1:02}-01", f"Number {number}") for number in range(57)]
    own.pacectl("import", "--again", *files)
    page = pages.open(own.web, "activities.html")
    expect(entries(page)).to_have_count(50)
    button(page, "Show older ones").click()
    expect(entries(page)).to_have_count(57)
    expect(button(page, "Show older ones")).to_be_hidden()
    expect(entries(page).last).to_contain_text("Number 0")
    expect(entries(page).nth(50)).to_be_focused()


@pytest.mark.thorough
def test_marks(own, pages):
    own.daemon.call("run.start")
    own.wait_for_runs(True)
    page = pages.open(own.web, "activities.html")
    expect(page.locator(".mark")).to_have_text(["In progress"])


def test_a_lost_server_is_said_and_its_return_works(own, pages):
    own.add(own.track("run.gpx", 60, "2026-03-01"))
    page = pages.open(own.web, "activities.html", width=1024, allowed="ERR_CONNECTION_REFUSED")
    expect(entries(page)).to_have_count(1)
    own.web.stop()
    page.get_by_label("Search by name, sport or date").fill("a")
    expect(fault(page)).to_have_text("No connection to paced-web.")
    own.web.start()
    page.get_by_label("Search by name, sport or date").fill("a r")
    expect(fault(page)).to_have_count(0)
    expect(entries(page)).to_have_count(1)


@pytest.mark.thorough
def test_history_works_without_paced(own, pages):
    own.add(own.track("run.gpx", 60, "2026-03-01"))
    own.daemon.stop()
    page = pages.open(own.web, "activities.html", allowed="503")
    expect(entries(page)).to_have_count(1)
    expect(fault(page)).to_have_count(0)
    entries(page).click()
    expect(heading(page)).to_have_text("A run")


# Import

def test_import_of_files(own, pages):
    page = pages.open(own.web, "activities.html", allowed="422")
    expect(page.get_by_text("No activity yet.")).to_be_visible()
    fold(page, "Import")
    page.get_by_label("Files").set_input_files([own.track("one.gpx", 120, "2026-03-01"), own.write("two.gpx", "no track")])
    page.locator(".upload select").select_option("walk")
    button(page, "Upload").click()
    results = page.locator(".results li")
    expect(results).to_have_count(2)
    expect(results.first).to_contain_text("one.gpx is activity 1: ")
    expect(results.last).to_contain_text("two.gpx: ")
    expect(results.last).to_have_class("problem")
    expect(results.last).not_to_contain_text("The request failed")
    expect(entries(page)).to_have_count(1)
    # The field is empty again, and not marked as wrong.
    expect(button(page, "Upload")).to_be_enabled()
    assert not page.locator("#upload-files").evaluate("(field) => field.matches(':user-invalid')")
    assert own.activity(1)["sport"] == "walk"
    assert violations(page) == []
    page.get_by_role("link", name="Show the activity").click()
    expect(heading(page)).to_have_text("A run")


def test_german_page_says_in_german_what_became_of_a_file(own, pages):
    track = own.track("one.gpx", 120, "2026-03-01")
    page = pages.open(own.web, "activities.html", allowed="422", locale="de-DE")
    fold(page, "Import")
    problem = page.locator(".results .problem").last
    for said in ("one.gpx ist Aktivität 1: A run, ", "one.gpx ist schon da, als Aktivität 1."):
        page.locator("#upload-files").set_input_files([track, own.write("two.gpx", "no track")])
        page.locator(".upload button[type=submit]").click()
        expect(problem).to_have_text("two.gpx: Das ist keine Datei im Format FIT, GPX, TCX oder KML.")
        expect(page.locator(".results li").first).to_contain_text(said)
        expect(page.locator(".upload button[type=submit]")).to_be_enabled()
    page.goto(f"{own.web.url}/courses.html")
    fold(page, "Datei hochladen")
    for said in ("Gespeichert: A run.", "Die Liste hat diese Strecke schon: A run."):
        page.locator("#upload-files").set_input_files(track)
        page.locator(".upload button[type=submit]").click()
        expect(page.locator(".results p")).to_have_text(said)


@pytest.mark.thorough
def test_import_of_what_is_there_needs_a_choice(own, pages):
    path = own.track("one.gpx", 120, "2026-03-01")
    own.add(path)
    page = pages.open(own.web, "activities.html", allowed="422")
    fold(page, "Import")
    page.get_by_label("Files").set_input_files(path)
    button(page, "Upload").click()
    expect(page.locator(".results .problem")).to_contain_text("activity 1")
    expect(button(page, "Upload")).to_be_enabled()
    page.get_by_label("Files").set_input_files(path)
    page.get_by_label("Replace it if it is there already").check()
    button(page, "Upload").click()
    expect(page.locator(".results li")).to_contain_text(["one.gpx is activity 1: "])
    expect(entries(page)).to_have_count(1)


@pytest.mark.thorough
def test_upload_shows_its_progress_and_can_be_cancelled(own, pages):
    page = pages.open(own.web, "activities.html")
    page.route("**/api/activities?file=*", lambda route: None)
    fold(page, "Import")
    page.get_by_label("Files").set_input_files(own.track("one.gpx", 120, "2026-03-01"))
    button(page, "Upload").click()
    expect(page.locator("progress")).to_be_visible()
    expect(page.get_by_text("one.gpx …")).to_be_visible()
    expect(button(page, "Upload")).to_be_disabled()
    button(page, "Cancel").click()
    expect(page.locator(".results li")).to_have_text(["one.gpx: Cancelled."])
    expect(button(page, "Upload")).to_be_enabled()
    assert own.daemon.call("activities.list") == []


@pytest.mark.thorough
def test_file_that_is_too_large_is_not_sent(own, pages):
    path = own.directory / "large.fit"
    with path.open("wb") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    page = pages.open(own.web, "activities.html")
    sent = []
    page.on("request", lambda request: sent.append(request.method) if "/api/activities" in request.url else None)
    fold(page, "Import")
    page.get_by_label("Files").set_input_files(path)
    button(page, "Upload").click()
    expect(page.locator(".results .problem")).to_have_text("large.fit: The file is larger than 64 MiB.")
    assert "POST" not in sent


@pytest.mark.thorough
def test_revoked_token_leads_to_the_sign_in_from_an_upload(own, pages):
    page = pages.open(own.web, "activities.html", allowed="401")
    expect(page.get_by_text("No activity yet.")).to_be_visible()
    fold(page, "Import")
    page.evaluate("localStorage['paced.token'] = 'revoked'")
    page.get_by_label("Files").set_input_files(own.track("one.gpx", 120, "2026-03-01"))
    button(page, "Upload").click()
    expect(page.get_by_label("Code")).to_be_visible()


# One activity

def test_activity_has_figures_laps_and_map(history, pages):
    page = pages.open(history.web, "activity.html#1", width=1024)
    summary = history.activity(1)
    expect(heading(page)).to_have_text("Ride")
    lead = page.locator(".lead")
    for text in (f"{summary['distance_m'] / 1000:.2f} km", f"{summary['average_bpm']} bpm", f"{summary['ascent_m']:.0f} m"):
        expect(lead).to_contain_text(text)
    laps = page.locator("section", has=page.get_by_role("heading", name="Laps")).locator("tbody tr")
    expect(laps).to_have_count(2)
    expect(page.locator(".laps th", has_text="Power")).to_contain_text("W")
    expect(page.get_by_role("heading", name="Best efforts")).to_be_visible()
    expect(page.get_by_role("heading", name="Totals in the imported file")).to_be_visible()
    wait_for(lambda: drawn(page), 60, "a map with a route")
    expect(page.locator("figure[data-chart=altitude] path.line")).to_have_count(1)


@pytest.mark.thorough
def test_line_of_the_map_has_the_legend_of_the_report(history, pages):
    page = pages.open(history.web, "activity.html#4")
    report = history.pacectl("report", 4, "--hide", 0, "--metric", "-o", "-")
    legend = re.sub("<[^>]*>", "", re.search(r'<figcaption class="legend">(.*?)</figcaption>', report)[1])
    expect(page.locator(".legend")).to_have_text(legend)
    page.evaluate("document.documentElement.dataset.theme = 'e-ink'; dispatchEvent(new Event('paced-theme'))")
    expect(page.locator(".legend")).to_contain_text("the thicker, the faster")


def test_badge_on_the_map_tells_its_story(history, pages):
    page = pages.open(history.web, "activity.html#4", height=1400)
    fold(page, "Badges on the way: 11")
    badge = button(page, "★ Mars")
    badge.focus()
    page.keyboard.press("Enter")
    note = page.locator(".badge-note")
    expect(note).to_contain_text(re.compile(r"MarsOlympus Mons.*Earned after 3\.22 km, at 15:"))
    # The map shows the place now: a tap on it says the same.
    note.evaluate("node => node.hidden = true")
    canvas = page.locator(".map canvas")
    canvas.scroll_into_view_if_needed()
    box = page.locator(".map").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(note).to_be_visible()
    expect(note.locator("h3")).to_have_text("Mars")
    assert violations(page) == []


def test_activity_without_positions_says_so(history, pages):
    page = pages.open(history.web, "activity.html#3")
    expect(page.locator(".track")).to_contain_text("No positions were saved")
    expect(page.locator(".map")).to_have_count(0)
    expect(page.locator("figure[data-chart=heart]")).to_be_visible()
    expect(page.locator("figure[data-chart=altitude]")).to_have_count(0)


@pytest.mark.thorough
def test_activity_of_a_demo_has_zones_and_sensors(stage, pages):
    daemon = stage.paced("--demo")
    web = stage.start(PacedWeb(stage.directory, daemon))
    daemon.call("run.stop")
    daemon.call("settings.set", key="zones", value=[60, 120, 140, 160, 180])
    daemon.call("settings.set", key="use_heart_rate_zones", value=True)
    number = daemon.call("run.start")["activity"]
    wait_for(lambda: daemon.call("status")["heart"].get("average_bpm"), 60, "a heart rate")
    reached = daemon.call("status")["elapsed_ms"]
    wait_for(lambda: daemon.call("status")["elapsed_ms"] > reached + 3000, 60, "seconds in a zone")
    daemon.call("run.stop")
    wait_for(lambda: (number, False) in [(it["id"], it["open"]) for it in daemon.call("activities.list")], 60, "the end")
    page = pages.open(web, f"activity.html#{number}")
    zones = page.locator("section", has=page.get_by_role("heading", name="Time in heart rate zones")).locator("tbody tr")
    expect(zones).to_have_count(6)
    expect(zones.nth(1)).to_contain_text("60")
    expect(page.get_by_text("Simulated strap")).to_be_visible()
    expect(page.locator(".mark")).to_have_text(["Demo"])


def test_unknown_activity_is_said(history, pages):
    page = pages.open(history.web, "activity.html#99", allowed="404|422")
    expect(fault(page)).to_contain_text("activity 99 does not exist")


def test_name_sport_and_start_are_changed(own, pages):
    number = own.add(own.track("run.gpx", 120, "2026-03-01"))
    page = pages.open(own.web, f"activity.html#{number}", timezone_id="Europe/Berlin")
    button(page, "Edit").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill(HOSTILE[:40])
    dialog.get_by_label("Sport").select_option("hike")
    expect(dialog.get_by_label("Start")).to_have_value("2026-03-01T08:00")
    dialog.get_by_label("Start").fill("2026-05-01T08:00:05")
    button(dialog, "Save").focus()
    page.keyboard.press("Enter")
    expect(heading(page)).to_have_text(HOSTILE[:40])
    expect(notice(page)).to_have_text("Saved.")
    changed = {"name": HOSTILE[:40], "sport": "hike", "started": "2026-05-01T06:00:05.000Z"}
    assert changed.items() <= own.activity(number).items()


@pytest.mark.thorough
def test_change_that_is_refused_is_said(own, pages):
    number = own.daemon.call("run.start")["activity"]
    own.wait_for_runs(True)
    page = pages.open(own.web, f"activity.html#{number}", allowed="422")
    button(page, "Edit").click()
    page.get_by_role("dialog").get_by_label("Sport").select_option("hike")
    button(page.get_by_role("dialog"), "Save").click()
    expect(fault(page)).to_contain_text("stop it first")
    assert own.activity(number)["sport"] == "run"


def answer_of_trash(calls):
    """Answers the methods of the trash as `paced` does, and notes them."""
    def answer(route):
        sent = json.loads(route.request.post_data)
        if sent["method"] not in ("activities.trash", "activities.restore"):
            return route.continue_()
        calls.append((sent["method"], sent["params"]))
        result = {"id": sent["params"]["id"]} if sent["method"] == "activities.restore" else None
        return route.fulfill(json={"jsonrpc": "2.0", "id": sent["id"], "result": result})
    return answer


def test_activity_is_put_in_the_trash_and_restored(history, pages):
    calls = []
    page = pages.open(history.web, "activity.html#4", route=answer_of_trash(calls))
    button(page, "Put in the trash").click()
    expect(button(page.get_by_role("dialog"), "Cancel")).to_be_focused()
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert calls == []
    button(page, "Put in the trash").click()
    button(page.get_by_role("dialog"), "Put in the trash").click()
    expect(page.get_by_text("It is in the trash for 30 days.")).to_be_visible()
    expect(button(page, "Restore")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".lead")).to_be_visible()
    assert calls == [("activities.trash", {"id": 4}), ("activities.restore", {"id": 4})]


@pytest.mark.parametrize("kind", matrix(FORMATS + ["Report"], "FIT"))
def test_download_asks_what_to_hide(history, pages, kind):
    page = pages.open(history.web, "activity.html#1")
    queries = []
    page.on("request", lambda request: queries.append(urllib.parse.parse_qs(urllib.parse.urlsplit(request.url).query)))
    button(page, kind).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Hide positions around start and end (metres)")).to_have_value("200")
    with page.expect_download() as download:
        button(dialog, "Download").click()
    expect(notice(page)).to_have_text(f"Downloaded: {download.value.suggested_filename}")
    suffix = "html" if kind == "Report" else kind.lower()
    assert download.value.suggested_filename == f"activity-1.{suffix}"
    assert [query["hide"] for query in queries if "hide" in query] == [["200"]]
    assert download.value.path().stat().st_size > 1000


def test_uuid_is_shown_and_found_and_left_out_of_a_file(history, pages):
    uuid = history.activity(4)["uuid"]
    page = pages.open(history.web, f"activity.html#{uuid}")
    expect(page.get_by_text(f"uuid {uuid}")).to_be_visible()
    button(page, "GPX").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Hide positions").fill("0")
    dialog.get_by_label("Leave out what names the board").check()
    with page.expect_download() as download:
        button(dialog, "Download").click()
    assert uuid not in download.value.path().read_text()
    page.goto(f"{history.web.url}/activities.html")
    page.locator("details summary", has_text="Search").click()
    page.get_by_role("searchbox").fill(uuid[:13])
    expect(entries(page)).to_have_count(1)
    page.locator("details.display summary").click()
    expect(page.get_by_text(f"Board {history.daemon.call('device.get')['uuid']}")).to_be_visible()


@pytest.mark.thorough
def test_download_hides_nothing_if_asked_so(history, pages):
    page = pages.open(history.web, "activity.html#2")
    sizes = {}
    for hide in (0, 1000):
        button(page, "GPX").click()
        page.get_by_role("dialog").get_by_label("Hide positions").fill(str(hide))
        with page.expect_download() as download:
            page.keyboard.press("Enter")
        sizes[hide] = download.value.path().read_text().count("<trkpt")
    assert sizes[0] == 3600 > sizes[1000]


@pytest.mark.thorough
def test_cancelled_download_asks_for_nothing(history, pages):
    page = pages.open(history.web, "activity.html#1")
    wait_for(lambda: drawn(page), 60, "a map with a route")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    button(page, "FIT").click()
    button(page.get_by_role("dialog"), "Cancel").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert asked == []


# The report

def report_of(history, number, hide):
    path = history.directory / f"report-{number}.html"
    history.pacectl("report", number, "-o", path, "--force", "--hide", hide, "--metric")
    return path.as_uri()


def shown_report(page):
    expect(page.locator("main > header h1")).to_be_visible()
    expect(page.locator(".top")).to_have_count(0)
    return page


@pytest.mark.parametrize("scheme", matrix(["light", "dark"], "light"))
@pytest.mark.parametrize("number, width", matrix([(1, 1280), (2, 1280), (3, 1280), (4, 1280), (1, 360), (4, 360)], 2))
def test_report_looks_as_the_file_of_pacectl(history, pages, browser, number, width, scheme):
    page = shown_report(pages.open(
        history.web, f"report.html#{number}&hide=0", width=width, height=900, color_scheme=scheme, locale="en-GB",
        theme={"light": "sunlight"}.get(scheme, scheme)))
    # The page has a link back besides.
    page.locator(".back").evaluate("link => { link.hidden = true; }")
    slider = page.locator("#slider")
    expect(slider).to_be_visible()
    file = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme=scheme, locale="en-GB", timezone_id="UTC").new_page()
    file.set_default_timeout(60_000)
    file.goto(report_of(history, number, 0))
    assert page.title() == file.title()
    # A picture may come before the last part of a page is drawn.
    wait_for(lambda: page.screenshot(full_page=True) == file.screenshot(full_page=True), 60, "the same picture of both")


@pytest.mark.parametrize("theme, back", [("dark", "rgb(18, 20, 23)"), ("e-ink", "rgb(255, 255, 255)")])
def test_report_has_the_theme_of_the_page(history, pages, theme, back):
    page = shown_report(pages.open(history.web, "report.html#4", theme=theme, color_scheme="light"))
    expect(page.locator("body")).to_have_css("background-color", back)


def test_report_hides_200_metres_by_default(history, pages):
    page = shown_report(pages.open(history.web, "report.html#2"))
    expect(page.locator(".notes")).to_contain_text("What was within 200 m")
    page.goto(f"{history.web.url}/report.html#2&hide=0")
    expect(page.locator(".notes")).not_to_contain_text("What was within")


def test_report_has_slider_and_cursor(history, pages):
    page = shown_report(pages.open(history.web, "report.html#1&hide=0", width=1280))
    slider = page.locator("#slider")
    expect(slider).to_be_visible()
    shown = page.locator(".cursor:visible")
    expect(shown).to_have_count(0)
    slider.focus()
    page.keyboard.press("End")
    expect(shown).to_have_count(page.locator(".chart:visible").count())
    assert slider.get_attribute("aria-valuetext") == page.locator("#where").inner_text()
    expect(page.locator(".here")).to_be_visible()
    before = page.locator("#where").inner_text()
    page.locator(".plot").first.hover(position={"x": 30, "y": 20})
    expect(page.locator("#where")).not_to_have_text(before)
    assert violations(page) == []


@pytest.mark.thorough
def test_report_is_printed_on_one_sheet(history, pages, browser):
    page = shown_report(pages.open(history.web, "report.html#1"))
    file = browser.new_context().new_page()
    file.set_default_timeout(60_000)
    file.goto(report_of(history, 1, 200))
    pages = [re.findall(rb"/MediaBox \[[^]]*\]", one.pdf(prefer_css_page_size=True)) for one in (page, file)]
    assert pages[0] == pages[1] and len(pages[0]) == 1


def test_report_of_an_unknown_activity_says_so(history, pages):
    page = pages.open(history.web, "report.html#99", allowed="404|422")
    expect(page.get_by_role("alert").filter(has_text="activity 99 does not exist")).to_be_visible()


@pytest.mark.thorough
def test_activity_leads_to_its_report(history, pages):
    page = pages.open(history.web, "activity.html#1")
    page.get_by_role("link", name="Hide start and end").click()
    shown_report(page).get_by_role("link", name="← Activity").click()
    expect(heading(page)).to_have_text("Ride")
    page.get_by_role("link", name="Show everything").click()
    shown_report(page)
    assert page.url.endswith("report.html#1&hide=0")


# Badges and bests

def test_badges_are_those_of_pacectl(history, pages):
    page = pages.open(history.web, "badges.html")
    badges = [json.loads(line) for line in history.pacectl("--json", "badges").splitlines()]
    earned = [badge["badge"] for badge in badges if "earned" in badge]
    expect(page.locator(".badge h3")).to_have_text(earned[::-1])
    expect(page.locator(".badge").first).to_contain_text("3 Nov 2025")
    newest = badges[len(earned) - 1]
    pace = newest["earned"]["elapsed_ms"] / newest["earned"]["distance_m"]
    for grade, factor in (("Silver", 1.05), ("Gold", 1.1)):
        seconds = int(pace / factor)
        expect(page.locator(".badge").first).to_contain_text(f"{grade}needs {seconds // 60}:{seconds % 60:02} min/km or faster")
    upcoming = badges[len(earned)]
    card = page.locator(".next")
    longest = max(history.activity(number)["distance_m"] for number in (2, 4))
    expect(card).to_contain_text(f"{(upcoming['distance_m'] - longest) / 1000:.2f} km to the badge {upcoming['badge']}")
    expect(card).to_contain_text(f"Your longest one so far: {longest / 1000:.2f} km.")
    share = card.locator(".ring .done").evaluate("node => parseFloat(node.style.strokeDasharray)")
    assert abs(share - longest / upcoming["distance_m"] * 100) < 0.1
    page.locator(".badge summary").first.click()
    page.locator(".badge a").first.click()
    expect(heading(page)).to_have_text(history.activity(2)["name"])


def test_each_badge_has_its_picture_and_story(history, pages):
    page = pages.open(history.web, "badges.html")
    names = [json.loads(line)["badge"] for line in history.pacectl("--json", "badges").splitlines()]
    pictures = page.evaluate("""async (names) => {
        const [{ badgePicture }, { badgeName, badgeStory }] = await Promise.all([import('/badge-art.js'), import('/badge-text.js')]);
        return names.map((name) => [badgePicture(name).innerHTML, badgeName(name), badgeStory(name)]);
    }""", [*names, "Vulcan"])
    assert [name for _, name, _ in pictures] == [*names, "Vulcan"]
    assert len({drawing for drawing, _, _ in pictures}) == len(names) + 1 == 34
    assert len({story for _, _, story in pictures[:-1]}) == 33 and pictures[-1][2] is None
    expect(page.locator(".badge").first).to_contain_text("The largest moon of the Solar System")
    expect(page.locator(".badge .badge-picture")).to_have_count(page.locator(".badge").count())


def test_badges_that_are_not_earned_say_what_they_need(history, pages):
    page = pages.open(history.web, "badges.html")
    badges = [json.loads(line) for line in history.pacectl("--json", "badges").splitlines()]
    missing = [badge for badge in badges if "earned" not in badge]
    locked = page.locator(".locked li")
    expect(locked).to_have_text([f"{badge['badge']}More than {badge['distance_m'] / 1000:.2f} km" for badge in missing])
    expect(locked.locator(".badge-picture")).to_have_count(len(missing))


@pytest.mark.thorough
def test_faster_runs_have_silver_and_gold(own, pages):
    for number, speed in enumerate((3.0, 3.2, 3.5)):
        own.add("--sport", "run", own.track(f"{number}.gpx", 400, f"2026-03-0{number + 1}", speed=speed))
    page = pages.open(own.web, "badges.html")
    badge = page.locator(".badge", has_text="Earth's Atmosphere")
    expect(badge.get_by_role("img")).to_have_count(2)
    expect(badge).not_to_contain_text("needs")
    for grade in ("Silver", "Gold"):
        expect(badge.get_by_role("img", name=grade)).to_be_visible()
    assert violations(page) == []


def test_bests_of_the_year_are_beside_those_of_all_time(own, pages):
    today = datetime.date.today()
    earlier = own.add("--sport", "run", own.track("old.gpx", 2000, f"{today.year - 1}-03-01", speed=4))
    later = own.add("--sport", "run", own.track("new.gpx", 3000, f"{today.year}-01-01"))
    own.add(own.write("old.tcx", tcx(1200, isIndoor=True).replace("2026-03-01", f"{today.year - 1}-04-01")))
    own.add(own.write("new.tcx", tcx(700, isIndoor=True).replace("2026-03-01", f"{today.year}-01-01")))
    page = pages.open(own.web, "badges.html", width=1024)
    bests = [json.loads(line) for line in own.pacectl("--json", "bests").splitlines()]
    rows = page.locator(".bests tbody tr")
    expect(rows).to_have_count(len(bests))
    longest = rows.filter(has_text="Longest").first
    expect(longest.locator("td").first).to_contain_text(f"{own.activity(later)['distance_m'] / 1000:.2f} km")
    expect(longest.locator("td").last).to_have_text("the same")
    kilometre = rows.filter(has_text="1 km").first
    expect(kilometre.get_by_role("link")).to_have_count(2)
    expect(kilometre.get_by_role("link").first).to_have_attribute("href", f"/activity.html#{earlier}")
    curve = page.get_by_role("img", name=re.compile("Power curve"))
    expect(curve.locator("path")).to_have_count(2)
    expect(curve.locator("i:not(.year)")).to_have_count(len([best for best in bests if best["best"].startswith("power")]))
    assert violations(page) == []


@pytest.mark.thorough
def test_without_activities_there_is_a_first_badge_and_no_best(own, pages):
    page = pages.open(own.web, "badges.html")
    expect(page.locator(".next")).to_contain_text("EarthFor the first run, walk or hike.")
    expect(page.get_by_text("No badge yet.")).to_be_visible()
    expect(page.get_by_text("No best yet.")).to_be_visible()


# The trash

def fill_trash(own):
    """Two activities and a course in the trash."""
    for number, title in enumerate((HOSTILE, "A walk")):
        own.daemon.call("activities.trash", id=own.add(own.track(f"{number}.gpx", 600, f"2026-03-0{number + 1}", title)))
    own.pacectl("course", "import", COURSES / "cptr004.gpx")
    own.daemon.call("course.trash", id=1)


def thrown(page):
    return page.locator(".thrown")


def test_trash_is_restored_and_erased(own, pages):
    fill_trash(own)
    page = pages.open(own.web, "activities.html")
    expect(page.get_by_text("No activity yet.")).to_be_visible()
    page.get_by_role("link", name="Trash (3)").click()
    expect(page.get_by_text("What is here counts nowhere. It is erased 30 days after it was put here")).to_be_visible()
    expect(thrown(page)).to_have_count(3)
    expect(thrown(page).first).to_contain_text("erased in 30 days")
    assert violations(page) == []
    button(page, "Restore A walk").click()
    expect(notice(page)).to_have_text("Restored: A walk")
    expect(thrown(page)).to_have_count(2)
    expect(heading(page)).to_be_focused()
    assert [one["name"] for one in own.daemon.call("activities.list")] == ["A walk"]
    button(page, "Erase now: Castle Rock Hike").click()
    expect(button(page.get_by_role("dialog"), "Cancel")).to_be_focused()
    page.keyboard.press("Escape")
    expect(thrown(page)).to_have_count(2)
    button(page, "Erase now: Castle Rock Hike").click()
    button(page.get_by_role("dialog"), "Erase now").click()
    expect(thrown(page)).to_have_count(1)
    assert own.pacectl("--json", "course", "list", "--trash") == ""


def test_trash_is_emptied_after_a_question_with_its_number(own, pages):
    fill_trash(own)
    page = pages.open(own.web, "trash.html", width=320, locale="de-DE")
    expect(thrown(page)).to_have_count(3)
    assert narrow_widths(page) == []
    button(page, "Papierkorb leeren").click()
    expect(page.get_by_role("dialog")).to_contain_text("Alle 3 Einträge im Papierkorb endgültig löschen?")
    button(page.get_by_role("dialog"), "Papierkorb leeren").click()
    expect(page.get_by_text("Der Papierkorb ist leer.", exact=True)).to_be_visible()
    expect(button(page, "Papierkorb leeren")).to_be_hidden()
    assert own.pacectl("--json", "activities", "--trash") == ""


@pytest.mark.thorough
def test_who_may_only_watch_sees_the_trash(own, pages):
    fill_trash(own)
    page = pages.open(own.web, "trash.html", scope="watch")
    expect(thrown(page)).to_have_count(3)
    expect(page.locator("main").get_by_role("button")).to_have_count(0)


# Courses

def test_course_is_uploaded_loaded_and_unloaded(own, pages):
    page = pages.open(own.web, "courses.html", allowed="422")
    expect(page.get_by_text("No course is loaded.")).to_be_visible()
    fold(page, "Upload a file")
    page.get_by_label("Files").set_input_files([COURSES / "cptr004.gpx", own.write("none.gpx", "nothing")])
    page.get_by_label("Load the course at once").check()
    button(page, "Upload").click()
    results = page.locator(".results li")
    expect(results.first).to_have_text("Stored and loaded: Castle Rock Hike.Open it")
    expect(results.last).to_have_class("problem")
    expect(page.locator(".next")).to_contain_text("Castle Rock Hike")
    assert own.courses()[0]["loaded"] is True
    button(page, "Unload").click()
    expect(notice(page)).to_have_text("No course is loaded now.")
    expect(page.get_by_text("No course is loaded.")).to_be_visible()
    assert "loaded" not in own.courses()[0]
    entries(page).click()
    button(page, "Load").click()
    expect(notice(page)).to_have_text("Loaded: Castle Rock Hike")
    expect(button(page, "Unload")).to_be_visible()
    assert own.courses()[0]["loaded"] is True
    assert violations(page) == []


def test_course_has_map_profile_climbs_and_points(history, pages):
    page = pages.open(history.web, "courses.html", width=1024)
    entries(page).focus()
    page.keyboard.press("Enter")
    expect(heading(page)).to_be_focused()
    shown = json.loads(history.pacectl("--json", "course", "show", 1))
    expect(page.locator(".lead")).to_contain_text(f"{shown['course']['length_m'] / 1000:.2f} km")
    wait_for(lambda: drawn(page), 60, "a map with a course")
    expect(page.locator(".profile .climb")).to_have_count(len(shown["climbs"]))
    tables = page.locator("table")
    expect(tables.first.locator("tbody tr")).to_have_count(len(shown["climbs"]))
    expect(tables.last.locator("tbody tr")).to_have_count(len(shown["points"]))
    expect(tables.last).to_contain_text("OLH Start")
    page.get_by_role("link", name="All courses").click()
    expect(heading(page)).to_have_text("Courses")


def test_courses_are_made_of_a_course_and_of_an_activity(own, pages):
    own.pacectl("course", "import", COURSES / "cptr004.gpx")
    number = own.add(RUN)
    page = pages.open(own.web, "courses.html#1")
    button(page, "Reverse").click()
    expect(notice(page)).to_contain_text("The reverse course is stored: ")
    notice(page).get_by_role("link", name="Open it").click()
    reverse, course = own.courses()
    expect(heading(page)).to_have_text(reverse["name"])
    assert abs(reverse["length_m"] - course["length_m"]) < 1
    page = pages.open(own.web, f"activity.html#{number}")
    button(page, "Make a course").click()
    expect(notice(page)).to_contain_text("The course is stored: ")
    made = own.courses()[0]
    expect(notice(page).get_by_role("link", name="Open it")).to_have_attribute("href", f"/courses.html#{made['id']}")
    assert abs(made["length_m"] - own.activity(number)["distance_m"]) < 300


@pytest.mark.thorough
def test_course_is_renamed_put_in_the_trash_and_restored(own, pages):
    own.pacectl("course", "import", COURSES / "cptr004.gpx")
    page = pages.open(own.web, "courses.html#1")
    button(page, "Rename").click()
    page.get_by_role("dialog").get_by_label("Name").fill(HOSTILE[:40])
    button(page.get_by_role("dialog"), "Save").click()
    expect(heading(page)).to_have_text(HOSTILE[:40])
    assert own.courses()[0]["name"] == HOSTILE[:40]
    button(page, "Put in the trash").click()
    expect(button(page.get_by_role("dialog"), "Cancel")).to_be_focused()
    page.keyboard.press("Escape")
    assert len(own.courses()) == 1
    button(page, "Put in the trash").click()
    button(page.get_by_role("dialog"), "Put in the trash").click()
    expect(notice(page)).to_contain_text("is in the trash.")
    assert own.courses() == []
    button(notice(page), "Restore").click()
    expect(notice(page)).to_have_text(f"Restored: {HOSTILE[:40]}")
    expect(entries(page)).to_have_count(1)
    assert own.courses()[0]["name"] == HOSTILE[:40]


def test_the_loaded_course_cannot_be_put_in_the_trash(own, pages):
    own.pacectl("course", "import", COURSES / "cptr004.gpx", "--load")
    page = pages.open(own.web, "courses.html#1")
    button(page, "Put in the trash").click()
    button(page.get_by_role("dialog"), "Put in the trash").click()
    expect(fault(page)).to_contain_text("unload it first")
    expect(heading(page)).to_have_text("Castle Rock Hike")


@pytest.mark.parametrize("kind", matrix([kind for kind in FORMATS if kind != "CSV"], "GPX"))
def test_course_is_downloaded(history, pages, kind):
    page = pages.open(history.web, "courses.html#1")
    with page.expect_download() as download:
        button(page, kind).click()
    assert download.value.suggested_filename == f"course-1.{kind.lower()}"
    assert download.value.path().stat().st_size > 1000


def test_partner_by_pace_and_by_activity(own, pages, stage):
    number = own.add(RUN)
    own.daemon.call("run.start")
    reader = stage.reader(own.daemon, blocks=["partner"])

    def partner(wanted):
        """Waits for a partner of the run, from now on."""
        reader.wait(
            "a STATE with the partner", lambda line: line["class"] == "STATE" and wanted(line.get("blocks", {}).get("partner")),
            60, len(reader.lines))

    page = pages.open(own.web, "courses.html")
    fold(page, "Virtual partner")
    page.get_by_label("Pace (min/km)").fill("5:70")
    button(page, "Set the partner").click()
    assert page.get_by_label("Pace (min/km)").evaluate("node => node.validity.patternMismatch")
    page.get_by_label("Pace (min/km)").fill("5:30")
    page.keyboard.press("Enter")
    expect(page.get_by_text("The partner keeps 5:30 min/km.")).to_be_visible()
    partner(lambda it: it and it["pace_s_per_m"] == 0.33)
    page.get_by_label("Partner").select_option("activity")
    # The text of its label includes the options, once they are there.
    page.get_by_role("combobox", name="Activity", exact=True).select_option(str(number))
    page.get_by_label("Compare the places on the loaded course, not the distance").check()
    button(page, "Set the partner").click()
    expect(fault(page)).to_contain_text("course")
    page.get_by_label("Compare the places on the loaded course, not the distance").uncheck()
    button(page, "Set the partner").click()
    expect(page.get_by_text("The partner repeats Run · 9.01 km")).to_be_visible()
    partner(lambda it: it and "name" in it)
    page.get_by_label("Partner").select_option("none")
    button(page, "Set the partner").click()
    expect(page.get_by_text("There is no partner.")).to_be_visible()
    partner(lambda it: it is None)


@pytest.mark.thorough
def test_units_are_those_of_the_setting(own, pages):
    own.add("--sport", "run", own.track("run.gpx", 1800, "2026-03-01"))
    own.daemon.call("settings.set", key="metric", value=False)
    page = pages.open(own.web, "activities.html")
    expect(entries(page)).to_contain_text("min/mi")
    page.goto(f"{own.web.url}/report.html#1")
    expect(shown_report(page).locator("dl dd").first).to_have_text(re.compile(r"^\S+ mi$"))
