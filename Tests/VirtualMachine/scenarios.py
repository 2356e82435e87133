#!/usr/bin/env python3
"""Plays scenarios inside the machine, one after the other: `scenarios.py DROPS BIN NAME…`.

Prints a line each, `ok|FAIL kernel/NAME SECONDS`; what a failure was comes indented under it. The daemon's own words are
left in the machine's share, and what was measured in `measured` beside them.
"""
import contextlib
import json
import logging
import pathlib
import random
import sys
import time
import traceback

import daemon
from air import Air
from daemon import NOBODY, Failed, Paced
from forked import now
from radio import Management, Radio, channels
from strap import Strap

# By what a user would call it: the end of the name printed on it.
OURS = '9AD13824'
OUR_ADDRESS = 'F0:F1:F2:F3:F4:F5'
# The first adapter of Bumble's air.
ADAPTER = '00:AA:01:00:00:40'


def expect(condition, message):
    if not condition:
        raise Failed(message)


class Stage:
    """What a scenario has at hand; all of it ends with the scenario."""

    def __init__(self, name, drops):
        self.name, self.drops = name, drops
        self.ending = contextlib.ExitStack()
        self.random = random.Random(name)
        self.management = self.ending.enter_context(Management())
        self.back = []
        self.measured = {}

    def radio(self, controllers=2):
        """btvirt's controllers: hci0 is paced's, not powered and without LE, as after a boot."""
        radio = Radio(controllers)
        self.ending.callback(radio.end)
        return radio

    def air(self, controllers=2):
        """Bumble's controllers, that can be pulled out, and whose links time out."""
        air = Air(controllers=controllers)
        self.ending.callback(air.kill)
        air.start()
        self.management.wait_for(lambda: len(self.management.indices()) == controllers)
        return air

    def strap(self, index=1, **settings):
        strap = Strap(index, **settings)
        self.ending.callback(strap.kill)
        return strap

    def paced(self, *options, user=0):
        options = options or ('--strap', OURS)
        paced = Paced(self.name + ('-nobody' if user else ''), '--bluetooth', 'kernel', *options, user=user)
        self.ending.callback(paced.kill)
        self.watched = paced
        return paced.start()

    def running(self, paced):
        """Starts a run once the first beat has come; gives the descriptors and the memory held then."""
        self.measured['first_beat_s'] = paced.beat(paced.started, 15)
        paced.call('run.start', sport='run')
        paced.watch(2)
        return paced.descriptors(), paced.resident()

    def came_back(self, paced, since, hole=True):
        """Waits for the first beat after a moment, and keeps how long it took."""
        self.back.append(paced.beat(since, 20, hole))

    def unharmed(self, paced, before, strap):
        """The run went on, nothing was lost on the way, nothing is held that was not held before."""
        paced.watch(2)
        states = [state for state in paced.states() if state['run'] == 'active']
        expect(all(state['run'] == 'active' for state in paced.states()[paced.states().index(states[0]):]),
               'the run stopped')
        elapsed, passed = (states[-1][key] - states[0][key] for key in ('elapsed_ms', 'boot_ms'))
        expect(elapsed == passed, f'elapsed time has a hole: {elapsed} ms of {passed}')
        in_order(paced.hearts(), strap.told()['sent'])
        descriptors, resident = paced.descriptors(), paced.resident()
        expect(descriptors <= before[0], f'{descriptors} descriptors, {before[0]} before')
        expect(resident < before[1] + 1024, f'{resident} KB resident, {before[1]} before')
        held = channels(), sum(len(self.management.connections(index)) for index in self.management.indices())
        expect(held[0] <= 1 and held[1] <= 1, f'channels and connections of the kernel: {held}')
        self.measured |= {'descriptors': descriptors, 'resident_kb': resident, 'resident_before_kb': before[1]}
        paced.stop()
        self.management.wait_for(
            lambda: channels() == 0 and not any(
                self.management.connections(index) for index in self.management.indices()))


def in_order(hearts, sent):
    """Every RR interval sent has come, once and in order, but where the line says `gap`."""
    intervals = [int.from_bytes(bytes.fromhex(beat['value'])[2:4], 'little') for beat in sent]
    place = None
    for heart in hearts:
        for interval in heart.get('rr_1024', []):
            expect(interval in intervals, f'an interval came that was never sent: {interval}')
            at = intervals.index(interval)
            expect(place is None or at == place + 1 or heart.get('gap'), f'intervals are missing before {heart}')
            place = at


def cold_start(stage):
    """Adapter down and low energy off at the start: beats flow within 15 s, with nothing done by hand."""
    stage.radio()
    stage.strap().start()
    expect(stage.management.settings(0) & 0x201 == 0, 'the adapter is on before the start')
    paced = stage.paced()
    before = stage.running(paced)
    state = paced.wait(
        'battery and maker', lambda line: 'battery_percent' in line.get('heart', {}), 15)
    expect(state['heart']['battery_percent'] == 87, f'battery: {state["heart"]}')
    expect(state['heart']['address'] == OUR_ADDRESS, f'address: {state["heart"]}')
    expect(state['bluetooth']['way'] == 'kernel', f'bluetooth: {state["bluetooth"]}')
    stage.measured['descriptors'], stage.measured['resident_kb'] = before


def scan(stage):
    """pacectl shows the strap with its name, type of address, strength and services; other commands go on meanwhile."""
    stage.radio()
    stage.strap().start()
    paced = stage.paced('--strap', 'Nobody 00000000')
    paced.wait('state', lambda line: line['class'] == 'STATE', 5)
    shown = paced.pacectl('--json', 'scan')
    expect(shown.returncode == 0, f'pacectl scan: {shown.stderr}')
    expect(OUR_ADDRESS in shown.stdout, f'pacectl scan: {shown.stdout}')
    straps = {strap['address']: strap for strap in paced.call('strap.scan', seconds=5)['straps']}
    strap = straps.get(OUR_ADDRESS)
    expect(strap is not None, f'scan: {straps}')
    expect(strap['name'].endswith(OURS), f'name: {strap}')
    expect(strap['address_type'] == 'random', f'type of address: {strap}')
    expect(any('180D' in str(service).upper() for service in strap['services']), f'services: {strap}')


def strap_restart(stage):
    """The strap is gone without a word, and comes back after a while."""
    air = stage.air()
    strap = stage.strap()
    strap.start()
    paced = stage.paced()
    before = stage.running(paced)
    for drop in range(stage.drops):
        strap.kill()
        air.do('silence', number=1)
        # Some stay away for long; most for as long as a strap is adjusted.
        away = 120 if drop % 8 == 7 else stage.random.uniform(0.2, 6)
        paced.watch(away)
        stage.came_back(paced, strap.start())
    stage.unharmed(paced, before, strap)


def link_drop(stage):
    """The link is ended, by the strap and by this side in turn."""
    stage.radio()
    strap = stage.strap()
    strap.start()
    paced = stage.paced()
    before = stage.running(paced)
    for drop in range(stage.drops):
        at = now()
        if drop % 2:
            stage.management.disconnect(0)
        else:
            strap.do('drop')
        stage.came_back(paced, at)
        paced.watch(stage.random.uniform(0.5, 3))
    stage.unharmed(paced, before, strap)


def adapter_off(stage):
    """The adapter is switched off by somebody else."""
    stage.radio()
    strap = stage.strap()
    strap.start()
    paced = stage.paced()
    before = stage.running(paced)
    for _ in range(stage.drops):
        at = now()
        stage.management.power(0, False)
        stage.came_back(paced, at)
        paced.watch(1)
    stage.unharmed(paced, before, strap)


def adapter_replug(stage):
    """The adapter is pulled out and put in again while the strap lives, the second time under another index."""
    air = stage.air()
    strap = stage.strap()
    strap.start()
    paced = stage.paced('--strap', OURS, '--adapter', ADAPTER)
    before = stage.running(paced)
    for drop in range(stage.drops):
        air.do('unplug', number=0)
        paced.reason('no-adapter', 15)
        if drop == 1:
            air.do('occupy')
        stage.came_back(paced, air.do('plug', number=0)['at'])
    stage.unharmed(paced, before, strap)


def kill_mid_connect(stage):
    """paced is killed at some moment between its start and its first beat."""
    stage.radio()
    strap = stage.strap()
    strap.start()
    paced = stage.paced()
    paced.beat(paced.started, 15)
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
    stage.radio(3)
    ours, other = stage.strap(1), stage.strap(2, name='Polar H10 00000002', address='F0:F1:F2:00:00:02')
    other.start()
    ours.start()
    paced = stage.paced()
    paced.beat(paced.started, 15)
    ours.do('drop')
    paced.beat(now(), 20, hole=True)
    expect(not other.told()['connections'], 'a stranger was connected')
    paced.stop()

    # Nobody's yet, and two there: a choice has to be made.
    ours_so_far = len(ours.told()['connections'])
    paced = Paced('stranger-auto', '--bluetooth', 'kernel', '--strap', 'auto')
    stage.watched = paced
    stage.ending.callback(paced.kill)
    paced.start()
    paced.reason('choose', 40)
    paced.watch(5)
    expect(len(ours.told()['connections']) == ours_so_far and not other.told()['connections'], 'one was connected')
    # The only one is taken, and kept when the other comes back.
    other.do('hide')
    paced.beat(now(), 60)
    paced.stop()
    other.do('advertise')
    paced.start()
    paced.beat(paced.started, 15)
    paced.watch(3)
    expect(not other.told()['connections'], 'a stranger was connected after a choice had been made')
    paced.stop()


def unprivileged(stage):
    """Without any privilege a known strap on an adapter that is on gives beats; what cannot be done is said."""
    stage.radio()
    strap = stage.strap()
    strap.start()
    stage.management.make_ready(0)
    paced = stage.paced('--strap', f'{OUR_ADDRESS}/random', user=NOBODY)
    stage.measured['first_beat_s'] = paced.beat(paced.started, 15)
    strap.do('drop')
    paced.beat(now(), 20, hole=True)
    stage.management.power(0, False)
    paced.reason('adapter-off', 15)
    at = now()
    stage.management.power(0, True)
    stage.measured['back_s'] = paced.beat(at, 20)
    paced.stop()


def hostile(stage):
    """Whatever a strap sends or keeps back: right values or none, and it is used again when it behaves."""
    stage.radio()
    strap = stage.strap()
    strap.start(values=['1646000400040004'], period=0.2)
    paced = stage.paced()
    paced.beat(paced.started, 15)

    def hearts(*values):
        at = now()
        strap.do('be', values=values)
        paced.watch(2.5)
        return [heart for heart in paced.hearts() if heart['boot_ms'] > at + 500]

    for values, bpm, rr in (
        (['012c00'], 44, None), (['012c01'], None, None), (['1843d0077203'], 67, [882]),
        (['1046' + '7203' * 9], 70, [882] * 9), (['1046'], 70, None), (['0400'], None, None), (['00ff'], None, None),
    ):
        seen = hearts(*values)
        expect(seen, f'{values}: nothing')
        expect(all(heart.get('bpm') == bpm for heart in seen), f'{values}: {seen[0]}')
        expect(all((heart.get('rr_1024') or None) == rr for heart in seen), f'{values}: {seen[0]}')
    for values in (['01'], ['013c'], ['083c01'], ['']):
        expect(not hearts(*values), f'{values}: gave a beat')

    for mode in ('asks', 'indicates', 'nonsense', 'mute'):
        strap.do('be', mode=mode, values=['1646000400040004'], period=1.0)
        strap.do('drop')
        paced.watch(6)
        expect(all(heart.get('bpm') == 70 for heart in paced.hearts()[-3:]), f'{mode}: {paced.hearts()[-3:]}')
    answers = strap.told()['answers']
    expect(any(answer.startswith('03') for answer in answers), f'the exchange of MTU was not answered: {answers}')
    expect('1e' in answers, f'indications were not confirmed: {answers}')
    strap.do('be', mode='good')
    strap.do('drop')
    stage.measured['back_s'] = paced.beat(now(), 45)
    paced.stop()


def coming_back(stage):
    """Of all the drops of the scenarios before this one: half are over within 3 s, 95 % within 8 s."""
    back = sorted(BACK)
    stage.measured = {'drops': len(back), 'median_s': back[len(back) // 2], 'worst_s': back[-1]}
    for share, limit in ((0.5, 3), (0.95, 8)):
        within = sum(seconds <= limit for seconds in back)
        expect(within >= share * len(back), f'only {within} of {len(back)} within {limit} s: {back}')


# How long heart rate took to come back, drop after drop, in seconds.
BACK = []


def play(name, drops):
    start = time.monotonic()
    stage = None
    trouble = None
    try:
        stage = Stage(name, drops)
        globals()[name.replace('-', '_')](stage)
    except Exception as error:
        trouble = str(error) if isinstance(error, Failed) else traceback.format_exc()
        watched = getattr(stage, 'watched', None)
        if watched:
            trouble += '\n' + ''.join(f'paced: {line}' for line in watched.log.open().readlines()[-12:])
    try:
        stage.ending.close()
    except Exception:
        trouble = (trouble or '') + traceback.format_exc()
    seconds = round(time.monotonic() - start, 1)
    print('FAIL' if trouble else 'ok', f'kernel/{name}', seconds, flush=True)
    for line in (trouble or '').rstrip().splitlines():
        print('    ' + line, flush=True)
    BACK.extend(stage.back)
    return {'scenario': name, 'seconds': seconds, 'back_s': stage.back} | stage.measured


# How a number of drops is shared out.
SHARES = {'strap-restart': 5, 'link-drop': 4, 'adapter-off': 2, 'adapter-replug': 2, 'kill-mid-connect': 2}


def main(drops, programs, names):
    logging.disable()  # Bumble warns of each command that a virtual controller lacks
    daemon.install(programs)
    measured = []
    for name in names:
        measured.append(play(name, round(SHARES.get(name, 0) * drops / sum(SHARES.values()))))
    pathlib.Path('/run/work/measured').write_text('\n'.join(map(json.dumps, measured)) + '\n')


main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
