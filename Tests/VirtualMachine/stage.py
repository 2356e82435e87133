"""What a scenario has at hand: adapters, straps, paced, and what must hold at its end."""
import contextlib
import pathlib
import random
import subprocess
import time

from air import Air
from daemon import Failed, Paced
from radio import Management, Radio, channels
from strap import Strap

# By what a user would call it: the end of the name printed on it.
OURS = '9AD13824'
# How long heart rate took to come back, drop after drop of all scenarios, in seconds.
BACK = []


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
        self.started = 0
        self.watched = None
        self.back = []
        self.measured = {}

    def radio(self, controllers=2):
        """btvirt's controllers, as BlueZ has them for its own tests. They report an advertisement once, as scanning begins,
        when the kernel does not listen yet: a strap that has to be discovered may wait for the next discovery.
        """
        radio = Radio(controllers)
        self.ending.callback(radio.end)
        return radio

    def air(self, controllers=2):
        """Bumble's controllers, which advertise on and on, can be pulled out, and whose links time out. hci0 is paced's,
        not powered and without low energy, as after a boot.
        """
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
        """Starts a paced with directories of its own; without options our strap is its strap."""
        self.started += 1
        options = options or ('--strap', OURS)
        self.watched = Paced(f'{self.name}-{self.started}', '--bluetooth', 'kernel', *options, user=user)
        self.ending.callback(self.watched.kill)
        return self.watched.start()

    def monitor(self):
        """Has btmon write down what passes between the kernel and its adapters; gives the file."""
        path = pathlib.Path(f'/run/work/{self.name}.btmon')
        with path.open('w') as file:
            monitor = subprocess.Popen(['stdbuf', '-oL', 'btmon', '-c', 'never', '-C', '110'], stdout=file)
        self.ending.callback(monitor.wait)
        self.ending.callback(monitor.kill)
        while not path.stat().st_size:
            time.sleep(0.02)
        return path

    def running(self, paced):
        """Starts a run once the first beat has come; gives the descriptors and the memory held then."""
        self.measured['first_beat_s'] = paced.beat(paced.started, 15)
        paced.call('run.start', sport='run')
        paced.watch(2)
        return paced.descriptors(), paced.resident()

    def came_back(self, paced, since, hole=True):
        """Waits for the first beat after a moment, and keeps how long it took."""
        self.back.append(paced.beat(since, 20, hole))
        BACK.append(self.back[-1])

    def stream(self, paced, drop):
        """Goes on for a while after a drop. Only a stream of 5 s lets the rests before a new attempt begin anew: every third
        is one; the others play a link that flaps.
        """
        paced.watch(5.2 if drop % 3 == 1 else 0.5)

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
