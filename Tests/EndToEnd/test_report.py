"""pacectl report: the page of an activity, in Debian's chromium without a screen."""

import datetime
import json
import math
import random
import re
import stat

import garmin_fit_sdk
import pytest
from axe_playwright_python.sync_playwright import Axe

from matrix import matrix
from test_activities import failed, pacectl, said

MESSAGE = garmin_fit_sdk.Profile["mesg_num"]
HOSTILE = "</script><script>alert(1)</script>&lt;b&gt;\u2028<img src=x onerror=alert(2)>'\""


def gpx(points, name="A run"):
    """A track of points: seconds, latitude, longitude, heart rate or None."""
    text = "".join(
        f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}"><ele>{100 + second % 300 / 10}</ele><time>2026-03-01T'
        f'{7 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z</time>'
        + (f'<extensions><x:TrackPointExtension><x:hr>{heart}</x:hr></x:TrackPointExtension></extensions>' if heart else "")
        + "</trkpt>" for second, latitude, longitude, heart in points)
    name = name.replace("&", "&amp;").replace("<", "&lt;")
    return (
        '<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1" '
        'xmlns:x="http://www.garmin.com/xmlschemas/TrackPointExtension/v1">'
        f"<trk><name>{name}</name><trkseg>{text}</trkseg></trk></gpx>")


def way(seconds, heart=True, latitude=52.0, longitude=13.0, north=0.8, east=0.6, speed=3.0):
    """A straight way with the speed of a wave."""
    for second in range(seconds):
        metres = second * speed + 20 * math.sin(second / 60)
        yield (
            second, latitude + metres * north / 111_195, longitude + metres * east / 111_195 / math.cos(math.radians(latitude)),
            140 + second // 30 % 20 if heart else None)


def tcx(seconds, isIndoor=False, speed=9):
    """A hilly ride in two laps with power and cadence; indoors without positions."""
    laps = []
    for first, last in ((0, seconds // 2), (seconds // 2, seconds)):
        points = ""
        for second in range(first, last):
            angle = second / seconds * 2 * math.pi
            latitude, longitude = 46.6 + 0.05 * math.sin(angle), 8.4 + 0.09 * math.cos(angle) + 0.01 * math.sin(7 * angle)
            position = f"<Position><LatitudeDegrees>{latitude:.7f}</LatitudeDegrees><LongitudeDegrees>{longitude:.7f}</LongitudeDegrees></Position>"
            points += (
                f"<Trackpoint><Time>2026-03-01T{7 + second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z</Time>"
                + ("" if isIndoor else position + f"<AltitudeMeters>{900 + 400 * math.sin(angle * 2):.1f}</AltitudeMeters>")
                + f"<DistanceMeters>{second * speed + 33 * speed * math.sin(second / 200):.1f}</DistanceMeters>"
                f"<HeartRateBpm><Value>{140 + int(25 * math.sin(angle * 2))}</Value></HeartRateBpm><Cadence>{80 + second // 60 % 15}</Cadence>"
                f"<Extensions><TPX xmlns='http://www.garmin.com/xmlschemas/ActivityExtension/v2'><Watts>{200 + second % 60}</Watts></TPX>"
                "</Extensions></Trackpoint>")
        laps.append(
            f'<Lap StartTime="2026-03-01T{7 + first // 3600:02}:{first // 60 % 60:02}:{first % 60:02}Z"><TotalTimeSeconds>{last - first}'
            f"</TotalTimeSeconds><DistanceMeters>{(last - first) * speed}</DistanceMeters><TriggerMethod>Manual</TriggerMethod><Track>{points}</Track></Lap>")
    return (
        '<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"><Activities><Activity Sport="Biking">'
        f'<Id>2026-03-01T07:00:00Z</Id>{"".join(laps)}</Activity></Activities></TrainingCenterDatabase>')


def with_beats(path):
    """A FIT file of ten minutes with the RR intervals of each second."""
    chance = random.Random(5)
    encoder = garmin_fit_sdk.Encoder()
    start = datetime.datetime(2026, 3, 1, 7, tzinfo=datetime.timezone.utc)
    encoder.on_mesg(MESSAGE["FILE_ID"], {"type": "activity", "manufacturer": "development", "product": 1, "serial_number": 7})
    due = 0.0
    for second in range(600):
        time = start + datetime.timedelta(seconds=second)
        encoder.on_mesg(MESSAGE["RECORD"], {"timestamp": time, "heart_rate": 150, "distance": 3.0 * second, "cadence": 85})
        while due < second:
            interval = round(0.4 + 0.01 * math.sin(due / 3) + chance.gauss(0, 0.004), 3)
            due += interval
            encoder.on_mesg(MESSAGE["HRV"], {"time": [interval]})
    end = start + datetime.timedelta(seconds=599)
    encoder.on_mesg(MESSAGE["SESSION"], {
        "timestamp": end, "start_time": start, "sport": "running", "total_elapsed_time": 599, "total_timer_time": 599})
    path.write_bytes(bytes(encoder.close()))
    return path


@pytest.fixture(scope="module")
def state(tmp_path_factory):
    """Activities: 1 a ride with power, 2 a hostile name, 3 with a gap of 10 min and without heart rate, 4 without positions, 5 a run of 11 km, 6 with RR
    intervals."""
    state = tmp_path_factory.mktemp("report")
    (state / "hostile.gpx").write_text(gpx(way(1800), HOSTILE))
    (state / "gap.gpx").write_text(gpx((point for point in way(2400, heart=False, latitude=48) if not 900 < point[0] < 1500)))
    (state / "ride.tcx").write_text(tcx(6000))
    (state / "indoor.tcx").write_text(tcx(2400, isIndoor=True))
    for name in ["ride.tcx", "hostile.gpx", "gap.gpx", "indoor.tcx"]:
        said(state, "import", "--again", state / name)
    (state / "run.gpx").write_text(gpx(way(3600)))
    said(state, "import", "--again", "--sport", "run", state / "run.gpx")
    said(state, "import", "--again", with_beats(state / "beats.fit"))
    return state


def page_of(state, tmp_path, number, *words):
    path = tmp_path / f"{number}.html"
    said_by = pacectl(state, "report", str(number), "-o", path, "--force", *words, env={"XDG_STATE_HOME": str(state / "own")})
    assert (said_by.returncode, said_by.stdout, said_by.stderr) == (0, "", ""), said_by
    return path


def text_of(state, tmp_path, number, *words):
    return page_of(state, tmp_path, number, *words).read_text()


@pytest.fixture
def opened(browser, state, tmp_path):
    """Opens the page of an activity; whatever the browser complains about, and each request, fails the test."""
    complaints = []

    def opened(number, *words, width=1280, scheme="light"):
        page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: request.url.startswith(("file:", "data:")) or complaints.append(request.url))
        page.goto(page_of(state, tmp_path, number, *words).as_uri())
        return page

    yield opened
    assert complaints == []


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_page_is_accessible_and_has_no_error(opened, number, scheme):
    page = opened(number, scheme=scheme)
    assert [(one["id"], one["nodes"][0]["html"]) for one in Axe().run(page).response["violations"]] == []


@pytest.mark.thorough
@pytest.mark.parametrize("width", [1280, 768, 360])
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_page_fits_the_screen(opened, number, width):
    page = opened(number, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.thorough
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5, 6])
def test_paper_is_one_page(opened, number):
    sheet = opened(number).pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page[^s]", sheet)) == 1


def places(page):
    return [round(page.evaluate("one => parseFloat(one.style.left)", one), 3) for one in page.query_selector_all(".cursor")]


@pytest.mark.thorough
def test_pointer_moves_the_cursor_of_all_charts_and_of_the_map(opened):
    page = opened(1)
    assert page.locator(".here").is_hidden()
    charts = page.locator(".plot")
    assert charts.count() == 5
    box = charts.nth(1).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 10)
    first = places(page)
    assert len(set(first)) == 1 and 48 < first[0] < 52 and page.locator(".here").is_visible()
    assert all(page.locator(".chart output").all_inner_texts())
    there = page.locator(".here").get_attribute("style")
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + 10)
    assert len(set(places(page))) == 1 and places(page) != first and page.locator(".here").get_attribute("style") != there
    page.locator(".map").click(position={"x": 30, "y": 60})
    assert len(set(places(page))) == 1


@pytest.mark.thorough
def test_keyboard_moves_the_cursor_and_changes_the_axis(opened):
    page = opened(2)
    page.locator("#by-distance").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#by-time").is_checked() and page.locator("svg.time").first.is_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "slider"
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    before = places(page)
    assert before[0] > 0 and page.locator("#slider").get_attribute("aria-valuetext").startswith("0:1")
    page.locator("#slider").fill("250")
    assert places(page)[0] > 50 and "km" in page.locator("#slider").get_attribute("aria-valuetext")
    page.keyboard.press("End")
    assert places(page)[0] > 99 and len(set(places(page))) == 1


@pytest.mark.thorough
def test_hostile_name_is_text(opened, state, tmp_path):
    page = opened(2)
    shown = page.locator("h1").inner_text()
    assert shown.startswith("</script><script>alert(1)</script>&lt;b&gt;") and "\u2028" not in shown
    text = text_of(state, tmp_path, 2)
    assert text.count("<script") == 2 and "<img" not in text and "\u2028" not in text


def lines(text, kind, figure):
    """The number of lines of a chart."""
    path = re.search(rf'<svg class="{kind}"[^>]*>(?:(?!</svg>).)*var\(--{figure}\)" d="([^"]*)"', text, re.S)
    return path[1].count("M")


def section(text, title):
    """The rows of a table, as texts of their cells."""
    table = text.split(f"<h2>{title}</h2>")[1].split("</table>")[0].split("<tbody>")[1]
    return [re.findall(r"<t[hd][^>]*>([^<]*)<", row) for row in table.split("</tr>") if "<t" in row]


def test_gap_is_a_gap(state, tmp_path):
    text = text_of(state, tmp_path, 3, "--hide", "0")
    assert lines(text, "time", "elevation") == 2 and lines(text, "time", "speed") >= 2
    assert "Heart rate" not in text
    (tmp_path / "run.gpx").write_text(gpx(point for point in way(2400) if not 900 < point[0] < 1500))
    said(tmp_path, "import", "--sport", "run", tmp_path / "run.gpx")
    beats = text_of(tmp_path, tmp_path, 1, "--hide", "0")
    for kind in ["time", "distance"]:
        assert [lines(beats, kind, figure) for figure in ["heartRate", "speed", "elevation"]] == [2, 2, 2]
    # No pace of the whole is faster than 3.4 m/s.
    assert all(int(row[1].split(":")[0]) * 60 + float(row[1].split(":")[1]) > 115 for row in section(beats, "Best times"))
    # No line of the route is as long as the way that nobody recorded: 1.8 km of 7.2 km.
    steps = [abs(int(x)) + abs(int(y)) for d in re.findall(r'class="c\d+" d="M\d+ \d+l([^"]*)"', text)
             for x, y in re.findall(r"(-?\d+) (-?\d+)", d)]
    assert steps and max(steps) < 1000


def test_activity_without_positions_has_no_map(state, tmp_path):
    text = text_of(state, tmp_path, 4)
    assert 'class="map"' not in text and "are hidden" not in text
    assert "Heart rate" in text and "Power" in text


def test_figures_are_those_of_show_in_both_units(state, tmp_path):
    summary = json.loads(said(state, "--json", "show", "1"))["summary"]
    for option, unit, metres in [("--metric", "km", 1000), ("--imperial", "mi", 1609.344)]:
        text = re.sub(r"<[^>]*>", "", text_of(state, tmp_path, 1, option, "--hide", "0").split("<dl>")[1].split("</dl>")[0])
        assert f"{summary['distance_m'] / metres:.2f} {unit}" in text
        assert f"{summary['average_bpm']} bpm" in text and f"{summary['normalized_power_w']} W" in text


def test_page_is_in_the_language_and_the_zone_of_its_reader_without_flat_charts(tmp_path):
    points = [(second, 52 + second * 2.7e-5 * (1 + second % 7 / 50), 13, 120) for second in range(600)]
    (tmp_path / "run.gpx").write_text(gpx(points))
    said(tmp_path, "import", "--sport", "run", tmp_path / "run.gpx")
    text = text_of(tmp_path, tmp_path, 1, "--hide", "0", "--metric", "--language", "de", "--time-zone", "Asia/Tokyo")
    assert '<html lang="de">' in text and "JST · Lauf</p>" in text
    assert "Mittlerer Puls" in text and "Zu diesen Werten" in text and "Average" not in text
    assert re.search(r"<dd>\d,\d\d<small> km</small>", text)
    # The heart rate is always the same.
    assert 'data-figure="speed"' in text and 'data-figure="heartRate"' not in text
    assert "--time-zone needs a time zone such as Europe/Berlin" in failed(
        tmp_path, "report", "1", "--time-zone", "Mars/Olympus", status=2)


def test_run_has_its_badges_and_best_times(state, tmp_path):
    shown = json.loads(said(state, "--json", "show", "5"))
    text = text_of(state, tmp_path, 5, "--hide", "0", "--metric")
    times = {best["best"]: best for best in shown["bests"]}
    assert list(times) == ["400m", "1km", "1mile", "5km", "10km"]
    rows = section(text, "Best times")
    assert [row[0] for row in rows] == ["400 m", "1 km", "1 mile", "5 km", "10 km"]
    minutes, seconds = divmod(round(times["1km"]["elapsed_ms"] / 1000), 60)
    assert abs(int(rows[1][1].split(":")[0]) * 60 + int(rows[1][1].split(":")[1]) - minutes * 60 - seconds) <= 1
    badges = section(text, "Badges")
    # Half a mile to 6 miles; the seventh mile is not whole.
    assert 6 < shown["summary"]["distance_m"] / 1609.344 < 7
    assert len(badges) == 12 and badges[1][0] == "The Moon"
    # 3 m/s with a wave of 20 m: a mile takes 536 s, give or take the wave.
    minutes, seconds = badges[1][2].split(":")
    assert 520 < int(minutes) * 60 + int(seconds) < 555
    assert len(re.findall('class="badge"', text)) == len(badges)
    hidden = text_of(state, tmp_path, 5)
    assert [row[:2] for row in section(hidden, "Badges")] == [row[:2] for row in badges]
    assert "Badge" not in text_of(state, tmp_path, 1)


@pytest.mark.thorough
def test_variability_is_drawn_where_there_are_beats(opened, state, tmp_path):
    shown = json.loads(said(state, "--json", "show", "6"))["hrv"]
    text = text_of(state, tmp_path, 6)
    rows = dict(section(text, "Heart rate variability"))
    assert rows["RMSSD"] == f"{shown['rmssd_ms']:.1f} ms" and rows["DFA α1"] == f"{shown['dfa_alpha1']:.2f}"
    assert lines(text, "time", "rmssd") == 1 and lines(text, "distance", "alpha1") == 1
    page = opened(6)
    page.locator("#slider").fill("300")
    assert re.fullmatch(r"\d+\.\d ms", page.locator('output[data-figure="rmssd"]').inner_text())
    assert re.fullmatch(r"\d\.\d\d", page.locator('output[data-figure="alpha1"]').inner_text().strip())
    assert "RMSSD" not in text_of(state, tmp_path, 5)


def test_ride_has_its_climb_and_its_best_powers(state, tmp_path):
    shown = json.loads(said(state, "--json", "show", "1"))
    text = text_of(state, tmp_path, 1, "--metric", "--hide", "0")
    total = re.sub(r"<[^>]*>", " ", text.split("<dl>")[1].split("</dl>")[0])
    assert re.search(rf"Ascent\s+{shown['summary']['ascent_m']:.0f}\s+m", total)
    powers = {best["best"]: best["power_w"] for best in shown["bests"]}
    assert powers["power-5s"] > powers["power-20min"] > 200
    rows = dict(row[:2] for row in section(text, "Best power"))
    assert rows["20 min"] == f"{powers['power-20min']:.0f} W"


@pytest.mark.thorough
def test_ten_hours_are_under_300_kilobytes(tmp_path):
    spread = random.Random(1)
    points = [(second, 47 + 0.2 * math.sin(second / 3000) + spread.gauss(0, 2e-5), 11 + 0.3 * math.cos(second / 1700),
               130 + spread.randrange(30)) for second in range(36_000)]
    (tmp_path / "ride.gpx").write_text(gpx(points))
    said(tmp_path, "import", "--sport", "ride", tmp_path / "ride.gpx")
    assert 50_000 < page_of(tmp_path, tmp_path, 1).stat().st_size < 300_000


@pytest.mark.thorough
def test_empty_activity_is_a_page(tmp_path):
    (tmp_path / "empty.gpx").write_text(gpx([(0, 52, 13, None), (1, 52, 13, None)]))
    said(tmp_path, "import", tmp_path / "empty.gpx")
    text = text_of(tmp_path, tmp_path, 1, "--hide", "0")
    assert text.startswith("<!DOCTYPE html>") and text.endswith("</html>\n")
    error = failed(tmp_path, "report", "1", env={"XDG_STATE_HOME": str(tmp_path / "own")})
    assert "activity 1 has no position outside of its hidden places of 200 m" in error and "--hide 0 all" in error


@pytest.mark.parametrize("words, error", matrix([
    (["report"], "report needs the number or the uuid of an activity, or last"), (["report", "1", "2"], "unexpected argument '2'"),
    (["report", "1", "--hide", "9999"], "--hide needs a number of metres from 0 to 5000"),
    (["report", "1", "--format", "fit"], "--format is an option of 'course export', 'export', 'transit lines' only"),
    (["report", "1", "--json"], "a report is HTML"), (["report", "--since", "2026-03-01", "--json"], "a report is HTML"),
    (["report", "1", "--since", "2026-03-01"], "report needs the number or the uuid of an activity, or --since DAY without a number"),
    (["report", "--until", "2026-03-01"], "report needs the number or the uuid of an activity, or --since DAY"),
    (["report", "--since", "March"], "--since needs a day, such as 2026-03-01"),
    (["report", "--since", "2026-03-01", "--hide", "5"], "a report with --since has no positions to hide"),
    (["show", "1", "--hide", "1"], "--hide is an option of 'export', 'report' only"),
], ["report"]))
def test_wrong_arguments_give_clear_errors(state, words, error):
    assert error in failed(state, *words, status=2)


def test_file_that_exists_stays(state, tmp_path):
    path = page_of(state, tmp_path, 1)
    assert "exists already" in failed(state, "report", "1", "-o", path, env={"XDG_STATE_HOME": str(state / "own")})
    assert "activity 99 does not exist" in failed(state, "report", "99", "-o", tmp_path / "x.html")


# Weeks and months


@pytest.fixture(scope="module")
def months(tmp_path_factory):
    """Runs of 2, 4 and 6 km on 2, 3 and 20 March 2026, one of 9 km in May, and a ride of 3 km."""
    state = tmp_path_factory.mktemp("months")
    for day, metres, sport in [("03-02", 2000, "run"), ("03-03", 4000, "run"), ("03-04", 3000, "ride"),
                               ("03-20", 6000, "run"), ("05-01", 9000, "run")]:
        name = HOSTILE if day == "03-20" else f"Day {day}"
        (state / "a.gpx").write_text(gpx(way(metres // 3), name).replace("2026-03-01T", f"2026-{day}T"))
        said(state, "import", "--sport", sport, state / "a.gpx")
    return state


def test_months_have_totals_bests_and_new_badges(months):
    text = said(months, "report", "--since", "2026-03-03", "--until", "2026-03-31", "--metric")
    shown = [json.loads(line) for line in said(
        months, "activities", "--since", "2026-03-03", "--until", "2026-03-31", "--totals", "month", "--json").splitlines()]
    kilometres = {one["sport"]: f"{one['distance_m'] / 1000:.2f} km" for one in shown}
    assert [row[:4] for row in section(text, "Months")] == [
        ["2026-03", "run", "2", kilometres["run"]], ["2026-03", "ride", "1", kilometres["ride"]]]
    assert [row[:3] for row in section(text, "Weeks")] == [
        ["2026-W10", "run", "1"], ["2026-W10", "ride", "1"], ["2026-W12", "run", "1"]]
    bests = {(row[0], row[1]): row[2] for row in section(text, "Bests")}
    assert bests["longest", "run"] == "6.02 km" and bests["longest", "ride"] == kilometres["ride"]
    assert ("5 km", "run") in bests and ("5 km", "ride") not in bests
    # The first 1.2 miles were earned on 2 March, which is not in the report.
    badges = section(text, "New badges")
    assert [row[0] for row in badges] == ["Earth&#39;s Magnetotail", "Mars", "Phobos", "Deimos", "The Asteroid Belt"]
    assert [row[2] for row in badges] == ["2026-03-03", "2026-03-03", "2026-03-20", "2026-03-20", "2026-03-20"]
    assert [row[0] for row in section(text, "Activities")] == ["2026-03-20", "2026-03-04", "2026-03-03"]
    assert "<script" not in text and "<img" not in text and "2026-05" not in text
    assert "52." not in text


@pytest.mark.thorough
def test_page_of_months_is_accessible_and_fits(browser, months, tmp_path):
    path = tmp_path / "months.html"
    assert said(months, "report", "--since", "2026-01-01", "-o", path) == ""
    for width, scheme in [(1280, "light"), (360, "dark")]:
        page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert [(one["id"], one["nodes"][0]["html"]) for one in Axe().run(page).response["violations"]] == []
        assert len(re.findall(rb"/Type\s*/Page[^s]", page.pdf(prefer_css_page_size=True))) == 1
    assert "exists already" in failed(months, "report", "--since", "2026-01-01", "-o", path)
    assert "no activity matches" in failed(months, "report", "--since", "2026-06-01")


# Hidden places


def test_secret_is_private_and_stays(state, tmp_path):
    first = text_of(state, tmp_path, 2)
    key = state / "own/paced/hide.key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600 and key.stat().st_size == 32
    assert text_of(state, tmp_path, 2) == first
    key.chmod(0o640)
    assert "--hide 0 hides nothing" in failed(state, "report", "2", env={"XDG_STATE_HOME": str(state / "own")})
    key.chmod(0o600)


@pytest.mark.parametrize("format", matrix(["gpx", "tcx", "geojson", "kml", "csv"], "gpx"))
def test_export_hides_positions_on_request_only(state, format):
    environment = {"XDG_STATE_HOME": str(state / "own")}
    whole = pacectl(state, "export", "2", "--format", format, env=environment).stdout
    cut = pacectl(state, "export", "2", "--format", format, "--hide", "500", env=environment).stdout
    # The way goes north: the hidden circle reaches 250 to 750 m from its start.
    def least(text):
        return min(float(number) for number in re.findall(r"(?<![\d.])52\.\d{4,}", text))

    assert least(whole) < 52.0005 and least(cut) > 52.001


def test_fit_file_has_no_hidden_position_anywhere(state, tmp_path):
    fitdecode = pytest.importorskip("fitdecode")
    path = tmp_path / "cut.fit"
    environment = {"XDG_STATE_HOME": str(state / "own")}
    assert pacectl(state, "export", "1", "-o", path, "--hide", "500", env=environment).returncode == 0
    places, distances = [], []
    with fitdecode.FitReader(path) as reader:
        for frame in reader:
            if frame.frame_type != fitdecode.FIT_FRAME_DATA:
                continue
            values = {field.name: field.value for field in frame.fields if field.value is not None}
            places += [[values[name] * 180 / 2**31 for name in (kind + "_lat", kind + "_long")]
                       for kind in ("position", "start_position", "end_position", "nec", "swc") if kind + "_lat" in values]
            if frame.name == "record":
                distances.append(values.get("distance"))
            if frame.name == "session":
                total = values["total_distance"]
    # The ride is a loop: its start is its end.
    assert len(places) > 5000
    # The middle of the circle is at most 0.64 of its 500 m away from the home.
    assert min(math.hypot(north - 46.6, (east - 8.49) * 0.687) * 111_195 for north, east in places) > 175
    known = [one for one in distances if one is not None]
    # The way to the first visible position is neither in the distances nor in the total.
    assert known[0] == 0 and known[-1] == pytest.approx(total, abs=0.01) and 50_000 < total < 53_300
