"""The uploads on the page of an activity. test_activity_modules.py has when the page asks."""

import pytest
from playwright.sync_api import expect

from harness.browser import button, violations
from harness.fake_net import FakeNet
from harness.link import PacedLink
from harness.paced_web import themes
from harness.timing import wait_for
from test_web_history import History, fault, heading

# It is longer than a line of a phone, and has no place to break.
HOSTILE = f"<img/src=x/onerror=alert({'1' * 40})>"


def upload(to, state, **members):
    return {"to": to, "service": to, "state": state} | members


EACH = [
    upload("intervals", "done", url="https://intervals.icu/activities/i123"), upload("nas", "done", url="javascript:alert(1)"),
    upload("strava", "none"), upload("dav", "waiting", reason=HOSTILE, next_try_ms=245_000),
    upload("work", "refused", reason="the file is larger than 1 MB"), upload("run", "unknown"), upload("bike", "processing", next_try_ms=4000),
]
LINES = [
    "intervals: uploaded Open", "nas: uploaded", "strava: not uploaded Upload", f"dav: waits {HOSTILE} Next try in 4 min.",
    "work: refused the file is larger than 1 MB Upload", "run: unknown whether it has arrived Upload", "bike: is being processed"]


class Linked(History):
    """A history with an activity, and a socket in the place of paced-link.

    `uploads` is what it says of the activity, and `refusal` its answer to an upload, if it refuses.
    """

    def __init__(self, stage):
        super().__init__(stage)
        self.add("--sport", "run", self.track("run.gpx", 300, "2025-11-03"))
        self.uuid = self.activity(1)["uuid"]
        directory = stage.directory / "link"
        directory.mkdir()
        self.link = FakeNet(directory, self.answer, "link.sock")
        self.reset()

    def reset(self):
        self.uploads, self.refusal = [], None
        self.link.asked.clear()

    def answer(self, request):
        if request["method"] == "link.uploads":
            return {"result": {"uploads": self.uploads}}
        return {"error": self.refusal} if self.refusal else {"result": {"uploads": [upload(request["params"]["to"], "waiting")]}}


@pytest.fixture(scope="module")
def shared_linked(long_stage):
    linked = Linked(long_stage)
    yield linked
    linked.link.stop()


@pytest.fixture
def linked(shared_linked):
    shared_linked.reset()
    return shared_linked


def opened(pages, linked, path="activity.html#1", **options):
    page = pages.open(linked.web, path, **options)
    expect(heading(page)).to_be_visible()
    return page


def lines(page):
    return page.locator(".uploads li")


def words(page):
    """The text of each line as it is seen, in one row."""
    return [" ".join(text.split()) for text in lines(page).evaluate_all("nodes => nodes.map((node) => node.innerText)")]


def test_each_service_has_a_line_and_a_button_uploads(linked, pages):
    linked.uploads = EACH
    page = opened(pages, linked, width=360)
    expect(lines(page)).to_have_count(len(EACH))
    assert words(page) == LINES
    assert linked.link.asked[0] == ("link.uploads", {"activity": linked.uuid})
    link = page.get_by_role("link", name="Open at intervals")
    expect(link).to_have_attribute("href", "https://intervals.icu/activities/i123")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    # An address of another scheme is no link.
    expect(page.locator(".uploads a")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    pressed = button(page, "Upload to strava")
    pressed.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="strava: ")).to_have_text("strava: waits")
    expect(page.get_by_role("heading", name="Upload")).to_be_focused()
    assert ("link.upload", {"activities": [linked.uuid], "to": "strava"}) in linked.link.asked
    linked.uploads = [upload("strava", "done", url="http://strava.example/activities/7") if one["to"] == "strava" else one for one in EACH]
    expect(page.get_by_role("link", name="Open at strava")).to_have_attribute("href", "http://strava.example/activities/7")


def test_refused_upload_is_said_and_a_watcher_has_no_button(linked, pages):
    linked.uploads = [upload("strava", "none")]
    linked.refusal = {"code": -32004, "message": "refused", "data": {"message": "strava takes no activity of the demo"}}
    page = opened(pages, linked)
    button(page, "Upload to strava").click()
    expect(fault(page)).to_have_text("strava takes no activity of the demo")
    expect(button(page, "Upload to strava")).to_be_visible()
    linked.uploads = [upload("strava", "refused", reason="it has no date: 'pacectl edit 1 --start TIME' sets it")]
    watcher = opened(pages, linked, scope="watch", locale="de-DE")
    expect(lines(watcher)).to_have_text("strava: abgelehnt Sie hat kein Datum: Bearbeiten setzt es.")
    expect(watcher.locator(".uploads button")).to_have_count(0)


def test_without_services_or_in_progress_there_is_nothing(linked, pages):
    page = opened(pages, linked)
    wait_for(lambda: page.evaluate("true") and linked.link.asked, 60, "a question")
    page.get_by_text(linked.uuid).wait_for()
    expect(page.locator(".uploads")).to_have_count(0)
    linked.uploads = EACH
    number = linked.daemon.call("run.start")["activity"]
    linked.wait_for_runs(True, False)
    running = opened(pages, linked, f"activity.html#{number}")
    expect(button(running, "Edit")).to_be_visible()
    running.wait_for_load_state("networkidle")
    linked.daemon.call("run.stop")
    expect(running.locator(".uploads")).to_have_count(0)
    assert len(linked.link.asked) == 1


def test_button_uploads_by_paced_link(stage, pages):
    history = History(stage)
    history.add("--sport", "run", history.track("run.gpx", 300, "2025-11-03"))
    folder = stage.directory / "folder"
    folder.mkdir()
    stage.start(PacedLink(stage.directory, history.daemon, {"Upload nas": {"Service": "directory", "Path": folder}}))
    page = opened(pages, history)
    button(page, "Upload to nas").click()
    expect(lines(page).get_by_role("status")).to_have_text("nas: uploaded")
    assert [file.name for file in folder.iterdir()] == [f"2025-11-03_{history.activity(1)['uuid']}.fit"]


@pytest.mark.thorough
def test_uploads_are_accessible(linked, pages):
    linked.uploads = EACH
    for theme in themes():
        page = opened(pages, linked, theme=theme, locale="de-DE")
        expect(lines(page)).to_have_count(len(EACH))
        assert violations(page) == []
