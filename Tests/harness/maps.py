"""Commands of pacectl that need no daemon, with a directory of maps of their own."""

import os
import subprocess

from harness.process import PACECTL

# Executes a command, and writes the most memory that it had in kB into a file.
MEASURE = """import resource, subprocess, sys
status = subprocess.run(sys.argv[2:]).returncode
open(sys.argv[1], "w").write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
sys.exit(status)"""


class MapsCommand:
    """`pacectl NAME`. A call returns its output."""

    def __init__(self, name, directory):
        self.name, self.directory = name, directory
        self.maps = directory / "maps"

    def command(self, *words):
        return [str(word) for word in (
            PACECTL, "--metric", "--runtime-dir", self.directory / "run", "--state-dir", self.directory / "state", self.name,
            *words, "--maps-dir", self.maps)]

    def run(self, *words, prefix=(), environment=None, cwd=None):
        """`prefix`: a command that executes the arguments after its own."""
        return subprocess.run(
            [*map(str, prefix), *self.command(*words)], capture_output=True, text=True, timeout=300, cwd=cwd,
            env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TZ": "UTC"} | (environment or {}))

    def __call__(self, *words):
        done = self.run(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def refused(self, *words, status=1, **options):
        """The error."""
        done = self.run(*words, **options)
        assert done.returncode == status, done.stdout + done.stderr
        return done.stderr

    def measured(self, *words, seconds=200):
        """The ended process, and the most memory that it had in MiB. After `seconds` it is ended with status 124."""
        peak = self.directory / "peak"
        done = self.run(*words, prefix=["python3", "-c", MEASURE, peak, "timeout", seconds])
        return done, int(peak.read_text()) / 1024
