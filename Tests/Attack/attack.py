#!/usr/bin/env python3
"""Attacks paced and pacectl from outside for about five minutes, and checks the invariants (docs/reliability.md).

It starts daemons in a directory that it creates, and touches nothing else: no other directory, no socket of a daemon
that it did not start, no address except loopback.
"""

import argparse
import os
import pathlib
import random
import signal
import sys
import time
import traceback

HERE = pathlib.Path(__file__).resolve().parent
# The time limit of an attack; a longer one fails, and so does the run.
LIMIT_S = 60
# Variables of a service manager or session about directories and sockets do not apply to these daemons.
NOT_OURS = (
    "NOTIFY_SOCKET",
    "WATCHDOG_USEC",
    "WATCHDOG_PID",
    "LISTEN_FDS",
    "LISTEN_PID",
    "LISTEN_FDNAMES",
    "RUNTIME_DIRECTORY",
    "STATE_DIRECTORY",
    "CONFIGURATION_DIRECTORY",
    "INVOCATION_ID",
    "SYSTEMD_EXEC_PID",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="ATTACK", help="only these; default: all")
    parser.add_argument("--short", action="store_true", help="only some, of each kind one, within about a minute")
    parser.add_argument("--list", action="store_true", help="what there is")
    parser.add_argument("--seed", type=int, help="repeats a run; default: a random one")
    parser.add_argument(
        "--programs", metavar="DIR", type=pathlib.Path, help="of paced, pacectl and paced-web; default: .build/release"
    )
    parser.add_argument("--directory", metavar="DIR", help="is made, and holds everything; default: a new one in /tmp")
    parser.add_argument("--keep", action="store_true", help="leaves the directory there")
    return parser.parse_args()


def prepare(programs):
    """Sets the programs before the modules that run them are imported."""
    for name in NOT_OURS:
        os.environ.pop(name, None)
    programs = (programs or HERE.parents[1] / ".build" / "release").resolve()
    for name in ("paced", "pacectl", "paced-web"):
        if not os.access(programs / name, os.X_OK):
            sys.exit(
                f"attack.py: there is no program {programs / name}; build it with 'make build', or give --programs DIR"
            )
    os.environ["PACED_BIN"] = str(programs)
    # The modules of the attacks, and the package that all tests share.
    sys.path[:0] = [str(HERE), str(HERE.parent)]


def ended(*_):
    raise KeyboardInterrupt


def too_long(*_):
    raise TimeoutError(f"the attack took longer than {LIMIT_S} s")


def carry_out(attack, arena):
    """None, or the reason of the failure in one line, and whether it is only a time."""
    from harness.timing import Late

    signal.signal(signal.SIGALRM, too_long)
    signal.alarm(LIMIT_S)
    try:
        attack.body(arena)
        return None, False
    except Exception as error:
        words = " ".join(str(error).split())
        words = words if len(words) <= 400 else f"{words[:200]} … {words[-200:]}"
        # The place of an error that the attack did not expect.
        *_, place = traceback.extract_tb(error.__traceback__)
        unexpected = f"{type(error).__name__} in {pathlib.Path(place.filename).name}:{place.lineno}: "
        case = f"{arena.case}: " if arena.case else ""
        reason = case + ("" if isinstance(error, AssertionError) and words else unexpected) + words
        return reason, isinstance(error, Late)
    finally:
        signal.alarm(0)
        arena.end()


def run(chosen, seed, ground):
    """The failed attacks, with their reasons."""
    import jsonschema
    import json
    import subprocess

    from arena import Arena
    from harness.process import PACECTL

    def once(attack):
        arena = Arena(ground, attack.name, seed, schema)
        reason, is_late = carry_out(attack, arena)
        log = arena.log() if reason else []
        arena.remove()
        return reason, is_late, arena.notes, log

    schema = jsonschema.Draft202012Validator(json.loads(subprocess.check_output([PACECTL, "schema"], timeout=10)))
    failed = []
    for number, attack in enumerate(chosen, 1):
        print(f"{number:2}/{len(chosen)} {attack.name:32}", end=" ", flush=True)
        begun = time.monotonic()
        reason, is_late, notes, log = once(attack)
        if is_late:
            # The same seed repeats what the program does, and not what the machine did meanwhile.
            first = reason
            reason, _, notes, log = once(attack)
            notes.append(f"repeated, since at first {first}")
        print(f"{'FAILED' if reason else 'passed'} {time.monotonic() - begun:5.1f} s  {'; '.join(notes)}", flush=True)
        if reason:
            failed.append((attack.name, reason))
            print(f"      {reason}")
            print("".join(f"      | {line}\n" for line in log), end="", flush=True)
    return failed


def main():
    options = arguments()
    prepare(options.programs)
    from attacks import ATTACKS, SHORT
    from harness.process import ENVIRONMENT
    from safety import Ground, Refused

    if options.list:
        for attack in ATTACKS.values():
            print(f"{attack.name:32} {attack.summary}")
        return 0
    unknown = [name for name in options.names if name not in ATTACKS]
    if unknown:
        sys.exit(f"attack.py: there is no attack {', '.join(unknown)}; --list says which there are")
    chosen = [ATTACKS[name] for name in options.names or (SHORT if options.short else ATTACKS)]
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    try:
        ground = Ground(options.directory)
    except Refused as refused:
        print(f"attack.py: {refused}", file=sys.stderr)
        return 2
    ENVIRONMENT["HOME"] = str(ground.root)
    print(f"seed {seed}; programs {os.environ['PACED_BIN']}; directory {ground.root}", flush=True)
    # Like an interrupt from the keyboard: daemons and directories are removed.
    signal.signal(signal.SIGTERM, ended)
    begun = time.monotonic()
    try:
        failed = run(chosen, seed, ground)
    finally:
        if not options.keep:
            ground.remove()
    print(f"{time.monotonic() - begun:.0f} s; to repeat: --seed {seed}")
    for name, reason in failed:
        print(f"FAILED {name}: {reason}")
    print(f"{len(chosen) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("attack.py: interrupted")
