"""Scenarios with the real kernel, one for each function."""
import pathlib
import re
import time
from concurrent.futures import ThreadPoolExecutor

from daemon import NOBODY, OURS
from harness.timing import boot_ms, expect, wait_for
from load import LoadMeter
from radio import LE, POWERED, attribute_channel
from several_sensors import six_sensors  # a scenario
from stage import BACK

OUR_ADDRESS = "F0:F1:F2:F3:F4:F5"
# The first adapter of the Bumble medium.
ADAPTER = "00:AA:01:00:00:40"
# btmon's log from the start of paced to the first beat; docs/first-beat.md explains it.
GOLDEN = pathlib.Path(__file__).parent / "first-beat.btmon"


def cold_start(stage):
    """Adapter down and LE disabled at the start: beats arrive within 15 s, without manual steps."""
    stage.radio()
    expect(stage.management.settings(0) & (POWERED | LE) == 0, "the adapter is on before the start")
    heard = stage.monitor()
    paced = stage.paced()
    wait_for(lambda: stage.management.settings(0) & (POWERED | LE) == (POWERED | LE), 60, "an adapter that is on")
    # btvirt reports an advertisement once, and the kernel does not receive it before its discovery has started.
    wait_for(lambda: "Scan Enable" in heard.read_text(), 60, "a discovery")
    stage.strap().start()
    before = stage.running(paced)
    stage.within("the first beat", stage.measured["first_beat_s"], 15)
    state = paced.wait("battery", lambda line: "battery_percent" in line.get("heart", {}), 60)
    expect(state["heart"]["battery_percent"] == 87, f"battery: {state['heart']}")
    expect(state["heart"]["address"] == OUR_ADDRESS, f"address: {state['heart']}")
    expect(state["bluetooth"]["backend"] == "kernel", f"bluetooth: {state['bluetooth']}")
    stage.measured["descriptors"], stage.measured["memory_kb"] = before
    golden = conversation(GOLDEN.read_text())
    # btmon may write what it hears later than paced reports it.
    wait_for(lambda: conversation(heard.read_text())[-1:] == golden[-1:], 60, "the first notification in btmon's log")
    spoken = conversation(heard.read_text())
    expect(spoken == golden, f"said to the first beat: {spoken}\nkept in {GOLDEN.name}: {golden}")


def conversation(text):
    """hci0's ATT traffic up to the first notification, from btmon's log."""
    lines = re.findall(r"^([<>]) ACL Data .*\[hci0\].*\n +ATT: (.*) \(0x", text, re.MULTILINE)
    last = (">", "Handle Value Notification")
    return lines[:lines.index(last) + 1] if last in lines else lines


def scan(stage):
    """pacectl lists the strap with its name, address type, RSSI and services; other commands work meanwhile."""
    stage.air()
    stage.strap().start()
    paced = stage.paced("--sensors", "Nobody 00000000")
    paced.wait("state", lambda line: line["class"] == "STATE", 60)
    shown = paced.pacectl("--json", "scan", "--seconds", "3")
    expect(shown.returncode == 0, f"pacectl scan: {shown.stderr}")
    expect(OUR_ADDRESS in shown.stdout, f"pacectl scan: {shown.stdout}")
    straps = {strap["address"]: strap for strap in paced.call("sensor.scan", seconds=3)}
    strap = straps.get(OUR_ADDRESS)
    expect(strap is not None, f"scan: {straps}")
    expect(strap["name"].endswith(OURS), f"name: {strap}")
    expect(strap["address_type"] == "random", f"type of address: {strap}")
    expect(any("180D" in str(service).upper() for service in strap["services"]), f"services: {strap}")


def strap_restart(stage):
    """The strap disappears without a disconnect, and comes back after a while."""
    with stage.run() as (air, strap, paced):
        for drop in range(stage.drops):
            strap.kill()
            air.do("silence", number=1)
            # Some stay away for long; most as long as it takes to adjust a strap.
            away = 120 if drop % 8 == 7 else stage.random.uniform(0.2, 3)
            paced.watch(away)
            stage.came_back(paced, strap.start())
            stage.stream(paced, drop)


def link_drop(stage):
    """The link is closed by the strap and by this side in turn."""
    with stage.run() as (_, strap, paced):
        for drop in range(stage.drops):
            at = boot_ms()
            if drop % 2:
                stage.management.disconnect(0)
            else:
                strap.do("drop")
            stage.came_back(paced, at)
            stage.stream(paced, drop)


def adapter_off(stage):
    """The adapter is switched off by another program."""
    with stage.run() as (*_, paced):
        for _ in range(stage.drops):
            at = boot_ms()
            stage.management.power(0, False)
            stage.came_back(paced, at)
            paced.watch(1)


def adapter_replug(stage):
    """The adapter is unplugged and plugged in again while the strap lives, the second time under another index."""
    with stage.run("--sensors", OURS, "--adapter", ADAPTER) as (air, strap, paced):
        for drop in range(stage.drops):
            air.do("unplug", number=0)
            paced.reason("no-adapter")
            # The strap advertises again once it has noticed the disconnect.
            stage.strap_has(paced, strap, "noticed", lambda events: not events["connected"])
            if drop == 1:
                air.do("occupy")
            stage.came_back(paced, air.do("plug", number=0)["at"])


def kill_mid_connect(stage):
    """paced is killed at some moment between its start and its first beat."""
    stage.air()
    strap = stage.strap()
    strap.start()
    paced = stage.paced()
    paced.beat(paced.started)
    for drop in range(stage.drops):
        paced.kill()
        paced.start()
        time.sleep(stage.random.uniform(0.05, 1.5))
        paced.kill()
        paced.start()
        stage.came_back(paced, paced.started, hole=False)
    stage.unharmed(paced, stage.running(paced), strap)


def stranger(stage):
    """Of several straps only ours is used; of two strangers none."""
    stage.air(3)
    ours, other = stage.strap(1), stage.strap(2, name="Polar H10 00000002", address="F0:F1:F2:00:00:02")
    other.start()
    ours.start()
    paced = stage.paced()
    paced.beat(paced.started)
    ours.do("drop")
    paced.beat(boot_ms(), hole=True)
    expect(not other.events()["connections"], "a stranger was connected")
    paced.stop()

    # No strap is chosen, and two are there: the user has to choose.
    ours_so_far = len(ours.events()["connections"])
    paced = stage.paced("--sensors", "auto")
    paced.reason("ambiguous")
    paced.watch(5)
    expect(len(ours.events()["connections"]) == ours_so_far and not other.events()["connections"], "one was connected")
    # The only one is used, and kept when the other comes back.
    other.do("hide")
    paced.beat(boot_ms())
    paced.stop()
    other.do("advertise")
    paced.start()
    paced.beat(paced.started)
    paced.watch(3)
    expect(not other.events()["connections"], "a stranger was connected after a choice had been made")
    paced.stop()


def unprivileged(stage):
    """Without any capability a known strap on a powered adapter gives beats; what is not possible is reported."""
    stage.radio()
    strap = stage.strap()
    strap.start()
    stage.management.make_ready(0)
    paced = stage.paced("--sensors", f"{OUR_ADDRESS}/random", user=NOBODY)
    stage.measured["first_beat_s"] = paced.beat(paced.started)
    strap.do("drop")
    paced.beat(boot_ms(), hole=True)
    stage.management.power(0, False)
    paced.reason("adapter-off")
    at = boot_ms()
    stage.management.power(0, True)
    stage.measured["back_s"] = paced.beat(at)
    paced.stop()


def elsewhere(stage):
    """Another program of this machine holds the strap: that is reported, and it is used as soon as it is free."""
    stage.radio()
    stage.strap().start()
    stage.management.make_ready(0)
    held = attribute_channel(OUR_ADDRESS)
    paced = stage.paced("--sensors", f"{OUR_ADDRESS}/random")
    paced.reason("in-use")
    paced.watch(2)
    held.close()
    stage.measured["back_s"] = paced.beat(boot_ms())
    paced.stop()


def link_parameters(stage):
    """A link survives 5 s of silence; an end with 0x3b is reported as refused, and the next parameters are wider."""
    air = stage.air()
    stage.strap().start()
    paced = stage.paced()
    paced.beat(paced.started)
    asked = air.do("asked", number=0)
    expect(asked == {"interval": [24, 40], "latency": 0, "supervision": 500}, f"parameters: {asked}")
    air.do("end", number=0, reason=0x3B)
    paced.wait("reason", lambda line: "parameters-refused" in (
        line.get("reason"), line.get("heart", {}).get("reason")), 60)
    paced.beat(boot_ms(), hole=True)
    asked = air.do("asked", number=0)
    expect(asked == {"interval": [24, 400], "latency": 0, "supervision": 600}, f"wide parameters: {asked}")
    paced.stop()


def pairing(stage):
    """A strap that needs a paired host is paired on the user's command; a stranger never is."""
    air = stage.air(3)
    strap, stranger = stage.strap(pairs=True), stage.stranger()
    strap.start()
    paced = stage.paced()
    paced.reason("needs-pairing")
    stage.refused(stranger, ADAPTER)
    strap.do("hesitate")
    with ThreadPoolExecutor() as meanwhile:
        answer = meanwhile.submit(paced.call, "sensor.pair", sensor=OURS)
        stage.refused(stranger, ADAPTER)
        expect(not answer.done(), "the strap was not waited for")
        strap.do("agree")
        paced.beat(boot_ms())
        stage.measured["answer"] = answer.result()
    stage.refused(stranger, ADAPTER)
    # Both store the keys: the strap when it comes back, and the next paced.
    strap.kill()
    air.do("silence", number=1)
    paced.watch(1)
    paced.beat(strap.start(), hole=True)
    paced.stop()
    paced.start()
    paced.beat(paced.started)
    stage.refused(stranger, ADAPTER)
    paced.stop()


def hostile(stage):
    """Whatever a strap sends or withholds: correct values or none, and it is used again when it behaves."""
    stage.air()
    strap = stage.strap()
    strap.start(values=["1646000400040004"], period=0.2)
    paced = stage.paced()
    paced.beat(paced.started)

    def hearts(*values):
        """The HEART lines between the second and the sixth of these values."""
        at = boot_ms()
        strap.do("be", values=values)

        def sent():
            return [value["at"] for value in strap.events()["sent"] if value["at"] > at]

        stage.strap_has(paced, strap, f"sent {values}", lambda _: len(sent()) >= 6)
        paced.watch(0.5)
        return [heart for heart in paced.hearts() if heart["boot_ms"] > sent()[1]]

    for values, bpm, rr in (
        (["012c00"], 44, None), (["012c01"], None, None), (["1843d0077203"], 67, [882]),
        (["1046" + "7203" * 9], 70, [882] * 9), (["1046"], 70, None), (["0400"], None, None), (["00ff"], None, None),
    ):
        seen = hearts(*values)
        expect(seen, f"{values}: nothing")
        expect(all(heart.get("bpm") == bpm for heart in seen), f"{values}: {seen[0]}")
        expect(all((heart.get("rr_1024") or None) == rr for heart in seen), f"{values}: {seen[0]}")
    for values in (["01"], ["013c"], ["083c01"], [""]):
        expect(not hearts(*values), f"{values}: gave a beat")

    # A silent strap that ends the link would count as taken off, and would be left alone.
    expect(hearts("1646000400040004")[-1].get("bpm") == 70, "no beat after values that were none")
    for mode in ("asks", "indicates", "nonsense", "mute"):
        before = strap.events()
        strap.do("be", mode=mode, values=["1646000400040004"], period=1.0)
        strap.do("drop")
        # Its own request is answered, its indications are confirmed, or it does not answer.
        stage.strap_has(paced, strap, f"been asked or answered ({mode})", {
            "asks": lambda events: any(answer.startswith("03") for answer in events["answers"]),
            "indicates": lambda events: "1e" in events["answers"],
        }.get(mode, lambda events: events["requests"] > before["requests"]))
        paced.watch(2)
        expect(all(heart.get("bpm") == 70 for heart in paced.hearts()[-3:]), f"{mode}: {paced.hearts()[-3:]}")
    strap.do("be", mode="good")
    strap.do("drop")
    stage.measured["back_s"] = paced.beat(boot_ms())
    paced.stop()


def coming_back(stage):
    """All drops of this backend in the scenarios before this one: half are over within 3 s, 95 % within 8 s."""
    back = sorted(BACK[stage.way])
    stage.measured = {"drops": len(back), "median_s": back[len(back) // 2], "worst_s": back[-1]}
    slowness = stage.measured["slowness"] = LoadMeter.slowness_of_all()
    for share, limit in ((0.5, 3), (0.95, 8)):
        within = sum(seconds <= limit * slowness for seconds in back)
        expect(within >= share * len(back),
               f"only {within} of {len(back)} within {limit} s times {slowness:.1f}, the load of the machine: {back}")
