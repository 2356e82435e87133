"""What the end-to-end tests share: directories, processes that end with their test, and the schema of every line."""

import json
import pathlib
import shutil
import subprocess
import tempfile

import jsonschema
import pytest

from programs import PACECTL, Crowd, Disk, Gpsd, Paced, Reader, Strap, Terminal, Witness


class Stage:
    """Starts programs in one directory and ends them all."""

    def __init__(self):
        # A socket's path has at most 107 bytes.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="paced-test-", dir="/tmp"))
        self.running = []

    def keep(self, program):
        self.running.append(program)
        return program

    def paced(self, *options, **environment):
        return self.keep(Paced(self.directory, *options, **environment))

    def disk(self, **options):
        """One in the place of the state directory, for daemons that are started within it."""
        return self.keep(Disk(self.directory / "state", **options))

    def reader(self, paced, **watch):
        """A reader whose stream has begun, with its wishes in force."""
        reader = self.keep(Reader(paced, watch))
        reader.first("WATCH" if watch else "VERSION")
        return reader

    def crowd(self, paced, count):
        return self.keep(Crowd(paced, count))

    def witness(self):
        return self.keep(Witness())

    def strap(self, *options, **settings):
        return self.keep(Strap(self.directory, *options, **settings))

    def gpsd(self):
        return self.keep(Gpsd(self.directory))

    def terminal(self, command, **options):
        return self.keep(Terminal(self.directory, command, **options))

    def end(self):
        for program in reversed(self.running):
            program.end()
        shutil.rmtree(self.directory, ignore_errors=True)


@pytest.fixture
def stage():
    stage = Stage()
    yield stage
    stage.end()


@pytest.fixture(scope="module")
def long_stage():
    """One that several tests look at."""
    stage = Stage()
    yield stage
    stage.end()


@pytest.fixture(scope="session")
def schema():
    text = subprocess.run([PACECTL, "schema"], capture_output=True, check=True, timeout=10).stdout
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(autouse=True)
def every_line_is_of_the_schema(schema):
    yield
    seen, Reader.seen = Reader.seen, []
    for line in seen:
        wrong = [error.message for error in schema.iter_errors(line.value)]
        assert not wrong, (line.text, wrong)


@pytest.fixture(scope="session", autouse=True)
def demo_of_the_session():
    """A demo that runs from the first test on: what it shows takes minutes."""
    stage = Stage()
    reader = stage.reader(stage.paced("--demo"), since=0)
    yield reader
    stage.end()
