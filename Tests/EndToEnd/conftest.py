"""The fixtures of the end-to-end tests, and the schema of every line."""

import functools
import json
import subprocess
import sys

import jsonschema
import pytest
from playwright.sync_api import expect

from harness.browser import Pages, chromium
from harness.fake_paced import FakePaced
from harness.fixture import ProcessFixture, Subscriber
from harness.link import LinkFixture
from harness.link_plan import PlanFixture
from harness.link_uploads import UploadFixture
from harness.paced_net import WeatherFixture
from harness.paced_web import PacedWeb
from harness.process import PACECTL, ROOT
from harness.servers import PostgreSQL
from harness.terminal import Terminal
from harness.timing import GUARD, wait_for

# pytest compiles the tests in six seconds, and each process of pytest-xdist all of them: here they read what the first
# one has compiled.
sys.pycache_prefix, sys.dont_write_bytecode = str(ROOT / ".build/compiled-tests"), False

# A page shows a change when the machine gets to it: the tests wait for it, not for a time.
expect.set_options(timeout=60_000)


def pytest_collection_modifyitems(items):
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker("browser")


@pytest.fixture
def stage():
    stage = ProcessFixture()
    yield stage
    stage.end()


@pytest.fixture(scope="module")
def long_stage():
    """A daemon that several tests share."""
    stage = ProcessFixture()
    yield stage
    stage.end()


@pytest.fixture
def paced(tmp_path):
    """A daemon for a test of pacectl; its sockets are in tmp_path."""
    daemon = FakePaced(tmp_path)
    yield daemon
    daemon.stop()


@pytest.fixture
def screen(tmp_path):
    """Creates terminals with a shell, and ends them."""
    made = []

    def make(*arguments, **options):
        made.append(Terminal(tmp_path, None, *arguments, **options))
        return made[-1]

    yield make
    for one in made:
        one.end()


@pytest.fixture
def weather(stage):
    """A weather service and a receiver; the test starts the daemon, and paced-net."""
    return WeatherFixture(stage)


@pytest.fixture
def web(stage):
    """paced-web beside the demo of a run."""
    return stage.start(PacedWeb(stage.directory, stage.paced("--demo")))


@pytest.fixture(scope="session")
def shared_database():
    server = PostgreSQL()
    server.start()
    yield server
    server.end()


@pytest.fixture
def database(shared_database):
    """The server of all tests, each of which makes a database of its own."""
    if shared_database.process.poll() is not None:
        shared_database.start()
    return shared_database


@pytest.fixture
def link(stage, database):
    """A broker, a daemon, paced-link and collectors, each when the test starts it."""
    return LinkFixture(stage, database)


@pytest.fixture
def upload(stage):
    """A daemon, paced-link and services that take uploads, each when the test starts it."""
    upload = UploadFixture(stage)
    yield upload
    assert upload.services is None or upload.services.complaints == []


@pytest.fixture
def plan(stage):
    """A daemon, paced-link and services with planned work, which the test starts."""
    plan = PlanFixture(stage)
    yield plan
    assert plan.services is None or plan.services.complaints == []


@pytest.fixture(scope="session")
def shared_browser():
    with chromium() as browser:
        yield browser


@pytest.fixture
def browser(shared_browser):
    """The browser of all tests. What a test opens in it is closed with the test."""
    yield shared_browser
    for context in list(shared_browser.contexts):
        context.close()


@pytest.fixture
def pages(browser):
    """Opens pages in the browser. A console message, an error of the page or a dialog fails the test."""
    pages = Pages(browser)
    yield pages
    pages.print_lines()
    pages.release()
    assert pages.complaints == []


@pytest.fixture
def pacectl(stage):
    """pacectl with a daemon; it returns the output, or the error of a failure."""
    daemon = stage.paced("--gpsd", "off", "--bluetooth", "off")

    def run(*arguments, status=0):
        result = subprocess.run(
            [PACECTL, "--runtime-dir", daemon.runtime, "--state-dir", stage.directory / "state", *map(str, arguments)],
            capture_output=True, text=True)
        assert result.returncode == status, result.stderr
        return result.stderr if status else result.stdout

    run.daemon = daemon
    wait_for(lambda: daemon.call("status")["recorder"].get("free_mib"), 60, "a journal that is written")
    return run


@pytest.fixture(scope="session")
def schema():
    text = subprocess.run([PACECTL, "schema"], capture_output=True, check=True, timeout=GUARD).stdout
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(scope="session")
def schema_of_class(schema):
    """The schema of the lines of a class: only that alternative can be valid, and the others take time."""
    return functools.cache(
        lambda name: schema.evolve(schema=schema.schema | {"oneOf": [{"$ref": f"#/$defs/{name}"}]}))


@pytest.fixture(autouse=True)
def every_line_is_of_the_schema(schema_of_class):
    yield
    seen, Subscriber.seen = Subscriber.seen, []
    for line in seen:
        wrong = [error.message for error in schema_of_class(line["class"]).iter_errors(line)]
        assert not wrong, (line.text, wrong)
