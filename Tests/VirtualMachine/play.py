#!/usr/bin/env python3
"""Runs scenarios inside the machine, one after the other: `play.py DROPS BIN WAY/NAME…`; WAY is kernel or bluetoothd.

Prints a line for each, `ok|FAIL WAY/NAME SECONDS`; the details of a failure are indented below it. The daemon's log is
left in the machine's share, and the measurements in `measured` beside it.
"""
import json
import logging
import pathlib
import sys
import time
import traceback

# The package that all tests share.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import bluetoothd_scenarios
import daemon
import scenarios
from harness.timing import Failed
from stage import Stage


# The modules with the scenarios of a backend.
WAYS = {"kernel": scenarios, "bluetoothd": bluetoothd_scenarios}


def play(way, name, drops, seconds):
    start = time.monotonic()
    stage = None
    trouble = None
    try:
        stage = Stage(way, name, drops, seconds)
        getattr(WAYS[way], name.replace("-", "_"))(stage)
    except Exception as error:
        trouble = str(error) if isinstance(error, Failed) else traceback.format_exc()
        if stage and stage.watched:
            trouble += "\n" + "".join(f"paced: {line}" for line in stage.watched.log.open().readlines()[-12:])
    try:
        stage.ending.close()
    except Exception:
        trouble = (trouble or "") + traceback.format_exc()
    seconds = round(time.monotonic() - start, 1)
    print("FAIL" if trouble else "ok", f"{way}/{name}", seconds, flush=True)
    for line in (trouble or "").rstrip().splitlines():
        print("    " + line, flush=True)
    return {"scenario": f"{way}/{name}", "seconds": seconds, "back_s": stage.back} | stage.measured


# How the drops are divided among the scenarios.
SHARES = {
    "kernel": {"strap-restart": 5, "link-drop": 4, "adapter-off": 2, "adapter-replug": 2, "kill-mid-connect": 2},
    "bluetoothd": {"strap-restart": 7, "link-drop": 8},
}


def main(drops, programs, names):
    logging.disable()  # Bumble warns of each command that a virtual controller lacks
    # A huge page on a thread's stack would count as 2 MB of memory that paced never touched; one start in 24 has one.
    pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled").write_text("never")
    daemon.install(programs)
    measured = []
    # How long six sensors are dropped in turn: ten minutes in a long run.
    seconds = 600 if drops >= 50 else 60
    for way, name in (name.split("/") for name in names):
        shares = SHARES[way]
        measured.append(play(way, name, round(shares.get(name, 0) * drops / sum(shares.values())), seconds))
    pathlib.Path("/run/share/measured").write_text("\n".join(map(json.dumps, measured)) + "\n")


main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
