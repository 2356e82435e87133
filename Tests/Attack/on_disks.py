"""Disks that are full or read-only, in a private mount namespace."""

import time

from attacks import attack
from harness.faults import fault_library
from harness.timing import expect, wait_for


def active(daemon, milliseconds, seconds=15):
    return wait_for(
        lambda: (state := daemon.status()).get("elapsed_ms", 0) >= milliseconds and state,
        seconds,
        f"a run of {milliseconds} ms",
    )


def recorder(daemon):
    return daemon.status()["recorder"]["state"]


@attack
def read_only_disk_at_the_start(arena):
    """A state directory that became read-only before a restart: the run continues, and is written later."""
    disk = arena.namespace(arena.directory / "state")
    daemon = arena.daemon("--demo", namespace=disk)
    before = active(daemon, 3000)
    daemon.call("settings.set", key="metric", value=True)
    time.sleep(1)
    daemon.end()
    disk.remount("ro")
    daemon = arena.daemon("--demo", namespace=disk)
    with arena.holds(daemon):
        state = wait_for(lambda: (state := daemon.status())["run"] == "active" and state, 5, "the open run")
        expect(
            state["activity"] == before["activity"],
            f"the run is number {state['activity']}, it was {before['activity']}",
        )
        expect(
            state["elapsed_ms"] >= before["elapsed_ms"] - 1000,
            f"{before['elapsed_ms']} ms before, {state['elapsed_ms']} ms after",
        )
        expect(state["faults"], "no fault says that nothing is recorded")
        active(daemon, state["elapsed_ms"] + 2000)
    disk.remount("rw")
    wait_for(lambda: recorder(daemon) == "writing", 25, "a journal that is written")
    seen = active(daemon, daemon.status()["elapsed_ms"] + 1500)
    daemon.end()
    daemon = arena.daemon("--demo", namespace=disk)
    after = wait_for(lambda: (state := daemon.status())["run"] == "active" and state, 5, "the run")
    expect(
        (after["activity"], after["elapsed_ms"] >= seen["elapsed_ms"] - 1000) == (before["activity"], True),
        f"run {before['activity']} had {seen['elapsed_ms']} ms, run {after['activity']} has {after['elapsed_ms']} ms",
    )
    arena.note(
        f"{before['elapsed_ms']} ms before, {state['elapsed_ms']} ms read-only, {after['elapsed_ms']} ms at the end"
    )


@attack
def read_only_disk_in_a_run(arena):
    """A disk that becomes read-only in a run, and writable again: the run continues, and no second of it is missing."""
    fault = arena.directory / "fault"
    fault.write_text("fine")
    daemon = arena.daemon("--demo", LD_PRELOAD=fault_library("disk"), DISK_FAULT=str(fault))
    active(daemon, 2000)
    with arena.holds(daemon):
        fault.write_text("EROFS")
        wait_for(lambda: recorder(daemon) == "failed", 15, "a fault")
        active(daemon, daemon.status()["elapsed_ms"] + 2000)
        fault.write_text("fine")
        wait_for(lambda: recorder(daemon) == "writing", 25, "a journal that is written")
    number = daemon.status()["activity"]
    length = daemon.call("run.stop")["elapsed_ms"]
    wait_for(lambda: not daemon.call("activities.list")[0]["open"], 10, "the end of the run")
    rows = [row[0] for row in daemon.call("activities.track", id=number, fields=["elapsed_ms"])["rows"]]
    expect(
        rows == [1000 * second for second in range(1, length // 1000 + 1)],
        f"of {length} ms there are {len(rows)} seconds",
    )


@attack
def full_disk_freed_before_the_end(arena):
    """A disk of 700 kB that fills before or in a run, and is freed up to a second before SIGTERM: the run is kept."""
    for is_late in (False, True):
        arena.case = "full in the run" if is_late else "full before the run"
        directory = arena.ground.directory(f"{arena.directory.name}/{is_late}")
        disk = arena.namespace(directory / "state", "700k")
        daemon = arena.daemon("--gpsd", "off", "--sensors", "off", directory=directory, namespace=disk)
        wait_for(lambda: recorder(daemon) == "writing", 5, "a journal that is open")
        if not is_late:
            disk.fill()
        daemon.call("run.start")
        active(daemon, 1500)
        if is_late:
            disk.fill()
        wait_for(lambda: recorder(daemon) == "failed", 15, "a fault")
        disk.free()
        time.sleep(arena.random.uniform(0, 1))
        seen = daemon.status()
        status, took = daemon.end()
        expect(status == 0 and took < 2, f"status {status} after {took:.1f} s")
        daemon = arena.daemon("--gpsd", "off", "--sensors", "off", directory=directory, namespace=disk)
        after = daemon.status()
        expect(after["run"] == "active", f"a run of {seen['elapsed_ms']} ms is lost")
        expect(
            after["activity"] == seen["activity"] and after["elapsed_ms"] >= seen["elapsed_ms"] - 1000,
            f"run {seen['activity']} had {seen['elapsed_ms']} ms, run {after['activity']} has {after['elapsed_ms']} ms",
        )


@attack
def full_disk_at_the_start(arena):
    """A disk without a free byte: the daemon starts, and a run from before the disk was freed is kept."""
    disk = arena.namespace(arena.directory / "state", "700k")
    disk.fill()
    daemon = arena.daemon("--demo", namespace=disk)
    active(daemon, 1500)
    expect(daemon.status()["faults"], "no fault says that nothing is recorded")
    disk.free()
    wait_for(lambda: recorder(daemon) == "writing", 25, "a journal that is written")
    seen = active(daemon, daemon.status()["elapsed_ms"] + 1000)
    daemon.end()
    after = arena.daemon("--demo", namespace=disk).status()
    expect(
        after["run"] == "active" and after["elapsed_ms"] >= seen["elapsed_ms"] - 1000,
        f"{seen['elapsed_ms']} ms before, {after.get('elapsed_ms')} ms after",
    )


@attack
def full_disk_in_a_run(arena):
    """A disk of 20 MB that is full for some seconds of a run: the run continues, and no second of it is missing."""
    disk = arena.namespace(arena.directory / "state", "20m")
    daemon = arena.daemon("--demo", namespace=disk)
    active(daemon, 2000)
    with arena.holds(daemon):
        disk.fill()
        wait_for(lambda: recorder(daemon) == "failed", 20, "a fault")
        expect(daemon.call("activities.list")[0]["open"], "what is there cannot be read")
        disk.free()
        wait_for(lambda: recorder(daemon) == "writing", 25, "a journal that is written")
    number = daemon.status()["activity"]
    length = daemon.call("run.stop")["elapsed_ms"]
    wait_for(lambda: not daemon.call("activities.list")[0]["open"], 10, "the end of the run")
    rows = [row[0] for row in daemon.call("activities.track", id=number, fields=["elapsed_ms"])["rows"]]
    expect(
        rows == [1000 * second for second in range(1, length // 1000 + 1)],
        f"of {length} ms there are {len(rows)} seconds",
    )
