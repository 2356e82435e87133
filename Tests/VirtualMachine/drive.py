#!/usr/bin/env python3
"""Runs the scenarios of one boot, as a systemd service: `drive.py BOOT PACKAGE [NAME…]`.

Prints a line for each, `ok|FAIL systemd/NAME SECONDS`; the details of a failure are indented below it.
"""
import contextlib
import json
import logging
import pathlib
import signal
import subprocess
import sys
import time
import traceback

# The package that all tests share.
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))

import boots
from board import SERVICE, Board, run
from harness.timing import Failed

SHARE = pathlib.Path("/run/share")
# Seconds without power between two boots.
OFF = 20


def named(names):
    """The names of scenarios, with those of `rest` in its place."""
    every = [scenario for _, scenarios in boots.BOOTS.values() for scenario in scenarios]
    return [name_of(one) for one in every if one not in boots.SEEN] if names == ["rest"] else names


def measure(fields):
    with (SHARE / "measured").open("a") as file:
        print(json.dumps(fields), file=file)


def name_of(scenario):
    return scenario.__name__.replace("_", "-")


def evidence(board):
    """The last lines of the services' journals, and the states of the strap and the medium."""
    lines = run("journalctl", "--boot", "--output", "short-monotonic", "--lines", "40", "--unit", SERVICE,
                "--unit", "bluetooth", check=False).stdout
    with contextlib.suppress(Exception):
        events = board.strap.events()
        lines += json.dumps({name: events[name] for name in ("connections", "connected", "requests")})[-600:] + "\n"
        lines += json.dumps(board.air.do("state"))
    return lines


def play(board, scenario):
    name = name_of(scenario)
    start = time.monotonic()
    trouble, result = None, "ok"
    board.measured = {}
    try:
        scenario(board)
    except Exception as error:
        result, trouble = "FAIL", str(error) if isinstance(error, Failed) else traceback.format_exc()
    seconds = round(time.monotonic() - start, 1)
    print(result, f"systemd/{name}", seconds, flush=True)
    for line in (f"{trouble}\n{evidence(board)}" if trouble else "").rstrip().splitlines():
        print("    " + line, flush=True)
    measure({"scenario": f"systemd/{name}", "seconds": seconds} | board.measured)


def main(boot, package, names):
    logging.disable()
    lines = (SHARE / f"journal-{boot}").open("w")
    # Follows the whole boot: a power cut leaves the lines until then.
    subprocess.Popen(["journalctl", "--boot", "--follow", "--no-tail", "--output", "short-monotonic"], stdout=lines)
    board = Board(package)
    surroundings, scenarios = boots.BOOTS[boot]
    at = time.monotonic()
    surroundings(board)
    run("systemd-notify", "--ready")
    around = time.monotonic() - at
    print(f"# {boot}: begun {at:.1f} s after power on, everything around it there {around:.1f} s later", flush=True)
    later = list(boots.BOOTS)[list(boots.BOOTS).index(boot) + 1:]
    is_last = bool(names) and not any(name_of(scenario) in names for other in later for scenario in boots.BOOTS[other][1])
    for scenario in scenarios:
        if not names or name_of(scenario) in names or scenario in boots.FIRST or scenario in boots.ALWAYS and not is_last:
            play(board, scenario)
    if is_last:
        (SHARE / "done").touch()
    systemd = run("systemd-analyze", check=False).stdout
    measure({"boot": boot, "driver_s": round(at, 1), "around_s": round(around, 1), "systemd": systemd})
    (SHARE / "time").write_text(time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + OFF)))
    if scenarios[-1] is boots.cut and not is_last:
        (SHARE / "cut").touch()
    else:
        # As a board is switched off: the driver, and with it the simulated devices, ends after the service.
        run("systemctl", "poweroff")
    signal.pause()


main(sys.argv[1], sys.argv[2], named(sys.argv[3:]))
