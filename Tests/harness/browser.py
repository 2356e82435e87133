"""Debian's chromium, and pages of `paced-web` in it."""

import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import playwright
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error, sync_playwright

from harness.faults import without_faults
from harness.process import ROOT

# The node that playwright brings.
NODE = pathlib.Path(playwright.__file__).parent / "driver/node"

# What playwright says in the place of a worker.
BLOCKED = "Service Worker registration blocked by Playwright"


def run_modules(script, *arguments, text=""):
    """What a script of Tests/EndToEnd that reads a text prints as JSON about modules of the page, without a browser."""
    command = [NODE, ROOT / "Tests/EndToEnd" / script, ROOT / "web", *arguments]
    ended = subprocess.run(
        list(map(str, command)), input=text, env=os.environ | {"TZ": "UTC"}, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


@contextlib.contextmanager
def chromium():
    """The browser. It is the one without windows: with them a new page costs three times as much of the processor."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium-headless-shell"), args=["--no-sandbox"], timeout=120_000,
            env=without_faults(os.environ))
        yield browser
        browser.close()


class Pages:
    """Pages that are signed in. `complaints` is what the browser reports: errors, warnings and dialogs."""

    def __init__(self, browser):
        self.browser = browser
        self.complaints = []

    def open(self, web, path="", scope="control", theme="sunlight", width=414, height=896, allowed="^$", route=None,
             first_run="hidden", **options):
        """Opens a page with the token that the server's pages share for the scope.

        `allowed`: a pattern of complaints to ignore. `route`: answers the requests to /api. `first_run`: what the browser keeps of the
        list before the first run. `options`: of a context.
        """
        # A worker would answer in the place of a `route`.
        options = {"locale": "en-GB", "timezone_id": "UTC", "service_workers": "block"} | options
        context = self.browser.new_context(viewport={"width": width, "height": height}, **options)
        kept = {"paced.theme": theme, "paced.token": self.token(web, scope), "paced.first": first_run}
        # As long as the tests wait for what a page shows.
        context.set_default_timeout(60_000)
        context.add_init_script(
            f"if (!sessionStorage.begun) Object.assign(localStorage, {json.dumps(kept)}); sessionStorage.begun = true")
        page = context.new_page()

        def complain(text):
            if not re.search(allowed, text) and text != BLOCKED:
                self.complaints.append(text)

        page.on("console", lambda message: complain(message.text))
        page.on("pageerror", lambda error: complain(str(error)))
        page.on("dialog", lambda dialog: (complain(dialog.message), dialog.dismiss()))
        if route:
            page.route("**/api", route)
        page.goto(f"{web.url}/{path}")
        return page

    @staticmethod
    def token(web, scope):
        """One token for all pages: a server accepts 64."""
        tokens = web.__dict__.setdefault("tokens", {})
        if scope not in tokens:
            tokens[scope] = web.client(scope, name="browser").token
        return tokens[scope]

    def release(self):
        """Ends what answers requests in the place of the server: an answer that comes after its page belongs to no test."""
        for context in self.browser.contexts:
            for page in context.pages:
                page.unroute_all(behavior="ignoreErrors")

    def print_lines(self):
        """Prints what each page says to its user, for a test that has failed."""
        for context in self.browser.contexts:
            for page in context.pages:
                # A page that is being loaded says nothing.
                with contextlib.suppress(Error):
                    lines = page.locator(".line").evaluate_all(
                        "nodes => nodes.filter((node) => !node.hidden).map((node) => node.textContent)")
                    print(f"page {page.url}: {lines}")


def violations(page):
    """The violations of accessibility that axe finds: rules, each with its first element."""
    return [(one["id"], one["nodes"][0]["html"]) for one in Axe().run(page).response["violations"]]


def narrow_widths(page):
    """The widths of the window, of those that people have, in which the page scrolls sideways."""
    widths = []
    for width in (320, 414, 1024, 1920):
        page.set_viewport_size({"width": width, "height": page.viewport_size["height"]})
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        if page.evaluate("document.documentElement.scrollWidth") > width:
            widths.append(width)
    return widths


def button(scope, name):
    return scope.get_by_role("button", name=name, exact=True)
