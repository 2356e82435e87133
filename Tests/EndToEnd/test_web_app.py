"""The page as an app: its manifest, its worker, and what a browser keeps for when paced-web does not answer."""

import json
import re
import shlex
import shutil
import struct
import subprocess

import pytest
from playwright.sync_api import expect

from harness.browser import button, violations
from harness.paced_web import PacedWeb
from harness.process import ROOT, Network
from harness.timing import wait_for
from test_report import gpx, way

WEB = ROOT / "web"
# Without the server the browser reports each request.
AWAY = "ERR_CONNECTION_REFUSED|Failed to load resource"
KEPT = """async () => {
    const kept = {};
    for (const name of await caches.keys()) {
        kept[name] = (await (await caches.open(name)).keys()).map(({ url }) => url.slice(location.origin.length));
    }
    return kept;
}"""


@pytest.fixture(scope="module")
def idle_web(long_stage):
    """paced-web beside a daemon without sensors."""
    return long_stage.start(PacedWeb(long_stage.directory, long_stage.paced("--gpsd", "off", "--bluetooth", "off")))


@pytest.fixture
def quiet(stage):
    """paced-web beside a daemon without sensors, with one activity and one course."""
    daemon = stage.paced("--gpsd", "off", "--bluetooth", "off")
    wait_for(lambda: daemon.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
    web = stage.start(PacedWeb(stage.directory, daemon))
    client = web.client()
    assert client.post("/api/activities?file=run.gpx&sport=run", gpx(way(900), "Along the river").encode()).status == 200
    assert client.post("/api/courses?file=way.gpx&load=1", (ROOT / "Tests/Data/courses/cptr003.gpx").read_bytes()).status == 200
    return web


def kept(page, prefix):
    """The addresses that the browser keeps in caches of a kind."""
    return {url for name, urls in page.evaluate(KEPT).items() if name.startswith(prefix) for url in urls}


def installed(pages, web, path="", **options):
    """A page whose worker keeps the files, and answers for it."""
    page = pages.open(web, path, service_workers="allow", allowed=AWAY, **options)
    wait_for(lambda: "/" in kept(page, "paced-files") and page.evaluate("Boolean(navigator.serviceWorker.controller)"),
             60, "a worker that has the files")
    return page


def test_each_page_names_the_manifest_and_its_icons_are_as_large_as_it_says():
    for page in WEB.glob("*.html"):
        assert '<link rel="manifest" href="/app.webmanifest">' in page.read_text(), page.name
        assert '<meta name="theme-color" ' in page.read_text(), page.name
    english, german = (json.loads((WEB / name).read_text()) for name in ("app.webmanifest", "app.de.webmanifest"))
    for one in (english, german):
        for icon in one["icons"]:
            width, height = struct.unpack(">II", (WEB / icon["src"][1:]).read_bytes()[16:24])
            assert icon["sizes"] == f"{width}x{height}"
        one["shortcuts"] = [shortcut["url"] for shortcut in one["shortcuts"]]
    assert english == german | {"lang": "en"}


def test_worker_keeps_all_files_of_the_page(idle_web, pages):
    page = installed(pages, idle_web)
    files = {f"/{path.relative_to(WEB)}" for path in WEB.rglob("*") if path.is_file()}
    assert kept(page, "paced-files") - {"/"} == files - {"/index.html", "/service-worker.js"}


@pytest.mark.parametrize("turned", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_kiosk_that_starts_before_paced_web_waits_and_goes_on(idle_web, pages, turned):
    page = installed(pages, idle_web, "?kiosk&rotate=90" if turned else "?kiosk")
    shown = page.frame_locator("iframe.turned") if turned else page
    idle_web.stop()
    page.goto(f"{idle_web.url}/?kiosk")
    expect(shown.get_by_role("heading", name="Waiting for the board")).to_be_visible()
    idle_web.start()
    expect(shown.locator(".stage .cell")).not_to_have_count(0)
    expect(button(shown, "Start")).to_be_enabled()


def test_last_activity_and_loaded_course_are_shown_offline_with_their_time(quiet, pages):
    page = installed(pages, quiet, "activities.html")
    page.reload()
    page.locator("a.entry").click()
    expect(page.locator(".profile path").first).to_be_attached()
    page.get_by_role("link", name="Show everything").click()
    expect(page.locator("main > header h1")).to_be_visible()
    page.goto(f"{quiet.url}/courses.html")
    wait_for(lambda: "/api/courses/1/file?format=geojson" in kept(page, "paced-answers"), 60, "a course that is kept")
    quiet.stop()
    line = page.locator(".line.connection")
    said = re.compile(r"Offline\. This is what was loaded at \d+:\d\d\.")
    page.goto(f"{quiet.url}/activities.html")
    expect(line).to_have_text(re.compile(said.pattern + " Load again"))
    expect(page.locator(".weeks button")).not_to_have_count(0)
    page.locator("a.entry").click()
    expect(page.get_by_role("heading", name="Along the river")).to_be_visible()
    expect(page.locator(".profile path").first).to_be_attached()
    expect(page.get_by_text("Offline: nothing can be changed until the board answers.")).to_be_visible()
    assert button(page, "Put in the trash").count() == 0 and violations(page) == []
    page.get_by_role("link", name="Show everything").click()
    expect(page.get_by_text(said)).to_be_visible()
    page.goto(f"{quiet.url}/courses.html#1")
    expect(page.locator(".map canvas").first).to_be_attached()
    quiet.start()
    expect(line).to_have_text(re.compile(r"^The board answers again\. What is shown is of \d+:\d\d\. Load again$"))
    button(page, "Load again").click()
    expect(line).to_be_hidden()
    expect(button(page, "Unload")).to_be_visible()


def test_kept_answers_are_for_their_token_only(quiet, pages):
    page = installed(pages, quiet, "activities.html")
    page.reload()
    expect(page.locator("a.entry")).to_be_visible()
    wait_for(lambda: "/api/activities?limit=50" in kept(page, "paced-answers"), 60, "a list that is kept")
    quiet.stop()
    ask = """(token) => fetch('/api/activities?limit=50', { headers: token ? { Authorization: `Bearer ${token}` } : {} })
        .then((answer) => answer.status, () => 'nothing')"""
    assert [page.evaluate(ask, token) for token in (pages.token(quiet, "control"), "X" * 26, None)] == [
        200, "nothing", "nothing"]


@pytest.mark.thorough
def test_activities_that_were_opened_longest_ago_are_forgotten(quiet, pages):
    page = installed(pages, quiet, "activities.html")
    for day in range(2, 7):
        run = gpx(way(60), f"Run {day}").replace("2026-03-01", f"2026-03-0{day}")
        assert quiet.client().post("/api/activities?file=run.gpx&sport=run", run.encode()).status == 200
    for number in (1, 2, 3, 4, 5, 1, 6):
        page.evaluate("""(number) => fetch(`/api/activities/${number}`,
            { headers: { Authorization: `Bearer ${localStorage['paced.token']}` } }).then((answer) => answer.text())""", number)
    wanted = {f"/api/activities/{number}" for number in (1, 3, 4, 5, 6)}
    wait_for(lambda: {url for url in kept(page, "paced-answers") if re.fullmatch(r"/api/activities/\d+", url)} == wanted, 60,
             "the five that were opened last")


def test_deleted_activity_is_deleted_here_too(quiet, pages):
    page = installed(pages, quiet, "activities.html")
    page.reload()
    page.locator("a.entry").click()
    wait_for(lambda: {"/api/activities/1", "/api/activities/1/file?format=csv"} <= kept(page, "paced-answers"), 60,
             "an activity that is kept")
    button(page, "Put in the trash").click()
    button(page.get_by_role("dialog"), "Put in the trash").click()
    expect(page.get_by_text("It is in the trash for 30 days.")).to_be_visible()
    assert not [url for url in kept(page, "paced-answers") if re.match(r"/api/activities(/1(/|$)|\?)", url)]


@pytest.mark.parametrize("way_out", ["sign out", "revoked", pytest.param("token removed", marks=pytest.mark.thorough)])
def test_nothing_is_kept_without_a_sign_in(quiet, pages, way_out):
    page = installed(pages, quiet, "activities.html")
    page.reload()
    expect(page.locator("a.entry")).to_be_visible()
    wait_for(lambda: "/api/activities?limit=50" in kept(page, "paced-answers"), 60, "a list that is kept")
    if way_out == "sign out":
        page.locator("details.display summary").click()
        button(page, "Sign out").click()
    elif way_out == "revoked":
        quiet.admin.result("web.revoke")
        page.reload()
    else:
        page.evaluate("localStorage.removeItem('paced.token')")
        page.reload()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    wait_for(lambda: page.evaluate(KEPT) == {}, 60, "caches that are deleted")
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0


@pytest.mark.thorough
def test_changed_file_replaces_all_files_of_before(stage, pages, tmp_path):
    files = tmp_path / "web"
    (files / "texts").mkdir(parents=True)
    for path in WEB.rglob("*"):
        if path.is_file():
            (files / path.relative_to(WEB)).write_bytes(path.read_bytes())
    web = stage.start(PacedWeb(stage.directory, stage.paced("--gpsd", "off", "--bluetooth", "off"), "--page-dir", files))
    page = installed(pages, web)
    (before,) = [name for name in page.evaluate(KEPT) if name.startswith("paced-files")]
    style = files / "base.css"
    style.write_text(style.read_text() + "\n:root { --new: 1; }\n")
    page.reload()
    wait_for(lambda: [name != before for name in page.evaluate(KEPT) if name.startswith("paced-files")] == [True], 60,
             "the new files in the place of the old ones")
    web.stop()
    page.reload()
    expect(page.get_by_role("heading", name="Waiting for the board")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--new')") == "1"
    # The network comes first again.
    style.write_text(style.read_text().replace("--new: 1", "--new: 2"))
    web.start()
    page.reload()
    expect(page.locator(".stage .cell")).not_to_have_count(0)
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--new')") == "2"


def test_panel_says_how_the_page_is_installed(idle_web, pages):
    page = pages.open(idle_web)
    page.locator("details.display summary").click()
    expect(button(page, "Install as an app")).to_be_hidden()
    page.evaluate("""() => {
        const offer = new Event('beforeinstallprompt', { cancelable: true });
        offer.prompt = () => { window.asked = true; };
        dispatchEvent(offer);
    }""")
    button(page, "Install as an app").click()
    assert page.evaluate("window.asked") and page.evaluate(
        "document.querySelector('meta[name=\"theme-color\"]').content") == "#fff"


@pytest.mark.parametrize("browser_is, text", [
    ("Object.defineProperty(window, 'isSecureContext', { value: false })", "Over plain HTTP this page cannot be installed as an app."),
    ("Object.defineProperty(navigator, 'standalone', { value: false })", "As an app: Share, then Add to Home Screen."),
    ("navigator.serviceWorker.register = () => Promise.reject(new DOMException('', 'SecurityError'))",
     "Offline there is nothing: this browser keeps no data of this page.")])
def test_panel_says_how_or_why_not_where_there_is_no_button(idle_web, pages, browser_is, text):
    page = pages.open(idle_web, "icon.svg")
    page.add_init_script(browser_is)
    page.goto(idle_web.url)
    page.locator("details.display summary").click()
    expect(page.locator("details.display").get_by_text(text)).to_be_visible()


@pytest.mark.thorough
def test_page_of_another_machine_is_kept_over_https(stage, browser, tmp_path):
    network = stage.start(Network())
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=bike.example",
         "-addext", f"subjectAltName=IP:{network.ADDRESS}", "-keyout", key, "-out", chain], check=True, capture_output=True)
    web = stage.start(PacedWeb(
        stage.directory, stage.paced("--gpsd", "off", "--bluetooth", "off"), network=network,
        configuration=f"[Web]\nCertificate={chain}\nCertificateKey={key}\n"))
    # A browser that is in the network, and trusts the certificate.
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, network.within))} {shutil.which("chromium-headless-shell")} "$@"\n')
    program.chmod(0o755)
    with_trust = browser.browser_type.launch(
        executable_path=program, args=["--no-sandbox", "--ignore-certificate-errors"], timeout=120_000)
    try:
        page = with_trust.new_context(locale="en-GB", ignore_https_errors=True).new_page()
        page.goto(f"https://{network.ADDRESS}:{web.port}/?kiosk#code={web.code()}")
        expect(page.locator(".stage .cell")).not_to_have_count(0)
        wait_for(lambda: "/" in kept(page, "paced-files"), 60, "files that are kept")
        web.stop()
        page.reload()
        expect(page.get_by_role("heading", name="Waiting for the board")).to_be_visible()
        web.start()
        expect(button(page, "Start")).to_be_enabled()
    finally:
        with_trust.close()
