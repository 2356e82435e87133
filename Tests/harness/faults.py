"""The libraries of Tests/Faults, which are loaded in front of C's."""

import functools
import hashlib
import os
import pathlib
import subprocess
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parents[1] / "Faults"


@functools.cache
def fault_library(name):
    """The path of a library that is made of a file of Tests/Faults: once, for all processes and users of the tests."""
    source = SOURCES / f"{name}.c"
    directory = pathlib.Path(f"/tmp/paced-faults-{os.getuid()}")
    directory.mkdir(exist_ok=True)
    # Everybody can write in /tmp.
    assert directory.lstat().st_uid == os.getuid() and directory.is_dir() and not directory.is_symlink(), directory
    directory.chmod(0o755)
    library = directory / f"{name}-{hashlib.sha256(source.read_bytes()).hexdigest()[:16]}.so"
    if not library.exists():
        with tempfile.TemporaryDirectory(dir=directory) as place:
            made = pathlib.Path(place) / library.name
            subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", made, source, "-ldl"], check=True)
            made.chmod(0o755)
            made.rename(library)
    return str(library)


class Clock:
    """The clocks of the programs that get its `environment`, of which a test sets one or both."""

    def __init__(self, directory):
        self.ahead, self.step, self.time = 0, directory / "clock-step", directory / "clock-set"
        self.environment = {
            "LD_PRELOAD": fault_library("clock"), "CLOCK_STEP": str(self.step), "CLOCK_SET": str(self.time)}

    def sleep(self, seconds):
        """All clocks jump but that of the time awake, as over a sleep of the machine."""
        self.ahead += seconds
        replace(self.step, self.ahead)

    def set(self, ahead):
        """Sets the time of day so many seconds ahead of the real one, or "unset"."""
        replace(self.time, ahead)


def replace(path, content):
    """Writes a file that is never seen empty."""
    other = path.with_suffix(".new")
    other.write_text(str(content))
    other.rename(path)


def preloaded(environment, own):
    """An environment with a program's own variables, and with the libraries of both."""
    libraries = dict.fromkeys(one["LD_PRELOAD"] for one in (own, environment) if one.get("LD_PRELOAD"))
    return environment | own | ({"LD_PRELOAD": ":".join(libraries)} if libraries else {})


def without_faults(environment):
    """An environment for the real gpsd and for browsers: Tools/fast-clock does not change their clocks."""
    return {key: value for key, value in environment.items() if key not in ("LD_PRELOAD", "CLOCK_FACTOR", "CLOCK_ORIGIN")}
