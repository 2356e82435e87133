"""All attacks by name, in order of execution."""

import importlib

ATTACKS = {}
# One of each kind, some seconds long.
SHORT = [
    "crowd-at-the-limit",
    "hostile-publishers",
    "lying-sensors",
    "mutated-requests",
    "lap-flood",
    "gpsd-bad-values",
    "strap-that-answers-twice",
    "mutated-files",
    "damaged-journals",
    "kills-under-load",
    "fifos-for-files",
    "read-only-disk-in-a-run",
    "mutated-page-requests",
    "greedy-watchers",
    "strangers-beside-a-download",
    "revocations-on-a-full-disk",
]


class Attack:
    """Registers a function that gets an Arena, and raises AssertionError if an invariant is broken."""

    def __init__(self, body):
        self.body = body
        self.name = body.__name__.replace("_", "-")
        self.summary = body.__doc__.splitlines()[0]


def attack(body):
    made = Attack(body)
    assert made.name not in ATTACKS
    ATTACKS[made.name] = made
    return body


for module in (
    "on_clients",
    "on_requests",
    "on_gpsd",
    "on_distance",
    "on_straps",
    "on_sensors",
    "on_files",
    "on_journals",
    "on_restarts",
    "on_directories",
    "on_disks",
    "on_web",
):
    importlib.import_module(module)
