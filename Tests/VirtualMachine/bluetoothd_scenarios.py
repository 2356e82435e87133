"""Scenarios with the real bluetoothd between paced and the kernel, one for each function."""
import grp
import statistics

import scenarios
from daemon import NOBODY
from harness.timing import boot_ms, expect, wait_for
from radio import POWERED
from stage import RETURNS

OUR_ADDRESS = scenarios.OUR_ADDRESS
# How long paced waits for a bluetoothd that has gone, in ms.
LOYALTY_MS = 4000
# The memory in KB that each stop and start of bluetoothd may add to paced. It limits
# the median of some stops: a leak adds to all of them, growth that happens once, such
# as a heap or a buffer (180 KB were measured), to one. Measured medians are 0 to 12.
STOP_KB = 48


def cold_start(stage):
    """bluetoothd runs, and has never seen the strap: beats arrive within 15 s, without manual steps."""
    stage.air()
    stage.strap().start()
    stage.bluetoothd().start()
    paced = stage.paced()
    stage.measured["descriptors"], stage.measured["memory_kb"] = stage.running(paced)
    stage.within("the first beat", stage.measured["first_beat_s"], 15)
    state = paced.wait("battery", lambda line: "battery_percent" in line.get("heart", {}), 60)
    expect(state["heart"]["battery_percent"] == 87, f"battery: {state['heart']}")
    expect(state["heart"]["address"] == OUR_ADDRESS, f"address: {state['heart']}")
    expect(state["bluetooth"]["backend"] == "bluetoothd", f"bluetooth: {state['bluetooth']}")
    paced.stop()


def strap_restart(stage):
    """The strap disappears without a disconnect, and comes back after a while."""
    stage.bluetoothd().start()
    scenarios.strap_restart(stage)


def link_drop(stage):
    """The link is closed by the strap and by this side in turn."""
    stage.bluetoothd().start()
    scenarios.link_drop(stage)


def six_sensors(stage):
    """Six sensors at once: each is dropped and comes back in turn, then all at once, for a minute or ten."""
    stage.bluetoothd().start()
    scenarios.six_sensors(stage)


def bluetoothd_kill(stage):
    """bluetoothd crashes during a run, and systemd restarts it."""
    bluetoothd = stage.bluetoothd()
    bluetoothd.start()
    with stage.run() as (*_, paced):
        for _ in range(2):
            bluetoothd.kill()
            paced.watch(stage.random.uniform(0.1, 3))
            stage.returned(paced, bluetoothd.start())
            paced.watch(1)


def bluetoothd_restart(stage):
    """bluetoothd is restarted, as after an update: it stays the backend."""
    bluetoothd = stage.bluetoothd()
    bluetoothd.start()
    with stage.run(way="auto") as (*_, paced):
        for _ in range(2):
            at = boot_ms()
            bluetoothd.stop()
            returned = bluetoothd.start()
            stage.returned(paced, returned)
            ways = {state["bluetooth"].get("backend") for state in paced.states() if state["boot_ms"] > at}
            # On a busy machine the restart may take longer than paced waits, and paced changes the backend meanwhile.
            expect(ways == {"bluetoothd"} or returned - at > LOYALTY_MS, f"ways: {ways}")
            paced.watch(1)


def bluetoothd_stop(stage):
    """bluetoothd is stopped for half a minute, and paced may not change the backend: it waits, and reports the reason.
    Repeated stops do not grow its memory.
    """
    bluetoothd = stage.bluetoothd()
    bluetoothd.start()
    with stage.run() as (*_, paced):
        held = []
        for away in (30, 1, 1, 1, 1):
            bluetoothd.stop()
            paced.reason("no-bluetooth")
            paced.watch(away)
            stage.returned(paced, bluetoothd.start())
            paced.watch(1)
            held.append(paced.memory())
        stage.measured["held_kb"] = held
        grown = statistics.median(after - before for before, after in zip(held, held[1:]))
        expect(grown < STOP_KB, f"memory grows by {grown} KB with each stop of bluetoothd: {held} KB")


def freeze(stage):
    """bluetoothd hangs for 20 s during a run, and owns its name all the time."""
    bluetoothd = stage.bluetoothd()
    bluetoothd.start()
    with stage.run() as (*_, paced):
        bluetoothd.freeze()
        since = len(paced.lines)
        paced.watch(20)
        paced.wait("link that is lost", lambda line: line.get("heart", {}).get("link", "connected") != "connected", 60, since)
        stage.back.append(paced.beat(bluetoothd.thaw(), hole=True))


def coming_back(stage):
    """As without bluetoothd; and after half of bluetoothd's outages, beats are back within 5 s of its return."""
    scenarios.coming_back(stage)
    returns = sorted(RETURNS)
    stage.measured |= {"returns_s": returns}
    expect(not returns or returns[len(returns) // 2] <= 5 * stage.measured["slowness"],
           f"back after the return of bluetoothd: {returns}")


def left_behind(stage):
    """paced is killed, and bluetoothd keeps the link: the next paced has beats within 15 s."""
    stage.air()
    strap = stage.strap()
    strap.start()
    stage.bluetoothd().start()
    paced = stage.paced()
    paced.beat(paced.started)
    for _ in range(2):
        paced.kill()
        expect(stage.management.connections(0), "bluetoothd has let the link go")
        paced.start()
        stage.back.append(paced.beat(paced.started))
        stage.within("the first beat", stage.back[-1], 15)
        paced.watch(1)
    stage.unharmed(paced, stage.running(paced), strap)


def way_to_kernel(stage):
    """bluetoothd is stopped while it is the backend: beats continue within 15 s, and the reason is reported."""
    bluetoothd = stage.bluetoothd()
    bluetoothd.start()
    with stage.run(way="auto") as (*_, paced):
        expect(paced.channels() == 0, "paced has a management channel open although it uses bluetoothd")
        stage.changed(paced, bluetoothd.stop(), "kernel")
        expect(paced.channels() == 1, "paced has no management channel open")


def way_to_bus(stage):
    """bluetoothd is started while the kernel is the backend: beats continue through it within 15 s, with a reason."""
    bluetoothd = stage.bluetoothd()
    # One descriptor more than before: the connection to the bus; another one has replaced the channel.
    with stage.run(way="auto", more=1) as (*_, paced):
        expect(paced.channels() == 1, "paced has no management channel open")
        stage.changed(paced, bluetoothd.start(), "bluetoothd")
        expect(paced.channels() == 0, "paced has a management channel open although it uses bluetoothd")


def unprivileged(stage):
    """A user in the group bluetooth, without any capability."""
    stage.radio()
    strap = stage.strap()
    strap.start()
    stage.bluetoothd().start()
    wait_for(lambda: stage.management.settings(0) & POWERED, 60, "an adapter that bluetoothd switched on")
    paced = stage.paced(user=NOBODY, groups=[grp.getgrnam("bluetooth").gr_gid])
    stage.measured["first_beat_s"] = paced.beat(paced.started)
    strap.do("drop")
    stage.measured["back_s"] = paced.beat(boot_ms(), hole=True)
    paced.stop()


def pairing(stage):
    """A strap that needs a paired host is paired on the user's command; a stranger never is."""
    stage.bluetoothd().start()
    scenarios.pairing(stage)
