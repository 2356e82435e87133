"""What is played with the real bluetoothd between paced and the kernel: each function is the scenario of its name."""
import grp
import statistics

import scenarios
from daemon import NOBODY
from harness.timing import boot_ms, expect, wait_for
from radio import POWERED
from stage import RETURNS

OUR_ADDRESS = scenarios.OUR_ADDRESS
# For so long a bluetoothd that has gone is waited for, in ms.
LOYALTY_MS = 4000
# What a stop and a start of bluetoothd may add to the memory of paced each time, in KB. The median of some stops is held against
# it: what is kept of each stop adds to all of them, what grows once, such as a heap or a buffer (180 KB were seen), to one. The
# medians that were seen are 0 to 12.
STOP_KB = 48


def cold_start(stage):
    """bluetoothd runs, and has never seen the strap: beats flow within 15 s, with nothing done by hand."""
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
    """The strap is gone without a word, and comes back after a while."""
    stage.bluetoothd().start()
    scenarios.strap_restart(stage)


def link_drop(stage):
    """The link is ended, by the strap and by this side in turn."""
    stage.bluetoothd().start()
    scenarios.link_drop(stage)


def bluetoothd_kill(stage):
    """bluetoothd dies in the middle of a run, and systemd starts it again."""
    bluetoothd = stage.bluetoothd()
    bluetoothd.start()
    with stage.run() as (*_, paced):
        for _ in range(2):
            bluetoothd.kill()
            paced.watch(stage.random.uniform(0.1, 3))
            stage.returned(paced, bluetoothd.start())
            paced.watch(1)


def bluetoothd_restart(stage):
    """bluetoothd is restarted, as after an update: no reason to leave it."""
    bluetoothd = stage.bluetoothd()
    bluetoothd.start()
    with stage.run(way="auto") as (*_, paced):
        for _ in range(2):
            at = boot_ms()
            bluetoothd.stop()
            returned = bluetoothd.start()
            stage.returned(paced, returned)
            ways = {state["bluetooth"].get("backend") for state in paced.states() if state["boot_ms"] > at}
            # On a machine that is busy it takes longer than paced waits for it, and then that goes another way meanwhile.
            expect(ways == {"bluetoothd"} or returned - at > LOYALTY_MS, f"ways: {ways}")
            paced.watch(1)


def bluetoothd_stop(stage):
    """bluetoothd is stopped for half a minute, and paced may not go another way: it waits, and says for what. After more stops
    memory has not grown with each of them.
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
    """bluetoothd hangs for 20 s in the middle of a run, and owns its name all the while."""
    bluetoothd = stage.bluetoothd()
    bluetoothd.start()
    with stage.run() as (*_, paced):
        bluetoothd.freeze()
        since = len(paced.lines)
        paced.watch(20)
        paced.wait("link that is lost", lambda line: line.get("heart", {}).get("link", "connected") != "connected", 60, since)
        stage.back.append(paced.beat(bluetoothd.thaw(), hole=True))


def coming_back(stage):
    """As without bluetoothd; and half of the times that bluetoothd was away, beats are back within 5 s of its return."""
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
    """bluetoothd is stopped while the strap comes through it: beats go on without it within 15 s, and it is said why."""
    bluetoothd = stage.bluetoothd()
    bluetoothd.start()
    with stage.run(way="auto") as (*_, paced):
        expect(paced.channels() == 0, "paced holds a channel of its own beside bluetoothd")
        stage.changed(paced, bluetoothd.stop(), "kernel")
        expect(paced.channels() == 1, "no channel of its own")


def way_to_bus(stage):
    """bluetoothd is started while the strap comes without it: beats go on through it within 15 s, and it is said why."""
    bluetoothd = stage.bluetoothd()
    # A connection to the bus more than before: of the two, one took the place of the channel.
    with stage.run(way="auto", more=1) as (*_, paced):
        expect(paced.channels() == 1, "no channel of its own")
        stage.changed(paced, bluetoothd.start(), "bluetoothd")
        expect(paced.channels() == 0, "paced holds a channel of its own beside bluetoothd")


def unprivileged(stage):
    """A user of the group bluetooth, without any privilege of the kernel's."""
    stage.radio()
    strap = stage.strap()
    strap.start()
    stage.bluetoothd().start()
    wait_for(lambda: stage.management.settings(0) & POWERED, 30, "an adapter that bluetoothd switched on")
    paced = stage.paced(user=NOBODY, groups=[grp.getgrnam("bluetooth").gr_gid])
    stage.measured["first_beat_s"] = paced.beat(paced.started)
    strap.do("drop")
    stage.measured["back_s"] = paced.beat(boot_ms(), hole=True)
    paced.stop()


def pairing(stage):
    """A strap that wants to know its host is paired at the user's word; a stranger never is."""
    stage.bluetoothd().start()
    scenarios.pairing(stage)
