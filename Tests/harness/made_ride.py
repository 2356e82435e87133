"""A made ride with power, cadence and speed at 1 Hz, and its figures by other code than that of the pipeline.

The rider holds the power of intervals with noise, coasts, sprints and waits at lights; speed follows from the power, the
slope and the air. The counters of the sensors turn with it: `power_notifications` has the Cycling Power Measurement of
each second (GATT 2A63, with the crank and the wheel), `speed_notifications` the CSC Measurement (2A5B). A seed gives the
same ride each time.

Source: Bluetooth GATT Specification Supplement, 3.55 and 3.65 (fields and units); A. Coggan, "Training and racing using
a power meter" (normalised power).
"""

import dataclasses
import math
import random
import struct

# Seconds of the intervals with the best average power.
BEST_SECONDS = (5, 30, 60, 300, 600, 1200, 1800, 3600)


@dataclasses.dataclass(frozen=True)
class Second:
    """One second: whole watts, revolutions of the crank a minute, metres per second."""

    watts: int
    cadence: float
    speed: float


class Counter:
    """Revolutions of a wheel or a crank, and the time of the last one in units of 1/`rate` s, as a sensor counts them."""

    def __init__(self, rate, revolutions, event_time):
        self.rate = rate
        self.turned = 0.0
        self.start = revolutions, event_time
        self.count = 0
        self.event = 0.0

    def turn(self, at, hertz):
        """A second that begins at `at`."""
        after = self.turned + hertz
        if math.floor(after) > self.count:
            self.count = math.floor(after)
            self.event = at + (self.count - self.turned) / hertz
        self.turned = after

    def fields(self, bits):
        revolutions = (self.start[0] + self.count) % (1 << bits)
        return revolutions, (self.start[1] + round(self.event * self.rate)) % 65536


class MadeRide:
    """`wheel_mm`: the circumference of the wheel. The counters begin near their ends, so that they wrap early."""

    MASS, DRAG, ROLLING, GRAVITY = 82.0, 0.22, 0.004, 9.81

    def __init__(self, seed, seconds=3600, wheel_mm=2105):
        self.wheel_mm = wheel_mm
        self.random = random.Random(seed)
        self.seconds = []
        self.slopes = [self.random.uniform(-0.03, 0.03) for _ in range(seconds // 120 + 2)]
        speed = 0.0
        for target, cadence in self.plan(seconds):
            noise = self.random.gauss(0, 0.06) if target else 0
            watts = max(round((target or 0) * (1 + noise)), 0)
            speed = 0.0 if target is None else self.next_speed(speed, watts, len(self.seconds))
            self.seconds.append(Second(watts, cadence * (1 + noise / 3), speed))

    def plan(self, seconds):
        """The power to hold and the cadence for each second; None watts is a stop."""
        planned = []
        while len(planned) < seconds:
            kind = self.random.choices(["steady", "interval", "sprint", "coast", "stop"], [40, 25, 10, 20, 5])[0]
            watts, cadence, length = {
                "steady": (self.random.uniform(140, 230), self.random.uniform(80, 95), self.random.randint(60, 400)),
                "interval": (self.random.uniform(260, 340), self.random.uniform(88, 102), self.random.randint(30, 300)),
                "sprint": (self.random.uniform(600, 950), self.random.uniform(105, 125), self.random.randint(5, 15)),
                "coast": (0, 0, self.random.randint(4, 40)),
                "stop": (None, 0, self.random.randint(10, 60)),
            }[kind]
            planned += [(watts, cadence)] * length
        return [(watts, cadence) for watts, cadence in planned[:seconds]]

    def next_speed(self, speed, watts, second):
        """Metres per second after a second at this power."""
        slope = self.slopes[second // 120]
        for _ in range(10):
            force = watts / max(speed, 2) - self.DRAG * speed * speed
            force -= self.MASS * self.GRAVITY * (self.ROLLING + slope)
            speed = max(speed + force / self.MASS / 10, 0.0)
        return min(speed, 20.0)

    # Notifications

    def power_notifications(self):
        """For each second: flags (wheel and crank), watts, wheel (1/2048 s), crank (1/1024 s)."""
        for second, wheel, crank in self.turned(2048):
            yield struct.pack("<HhIHHH", 0x0030, second.watts, *wheel.fields(32), *crank.fields(16))

    def speed_notifications(self):
        """For each second: flags (wheel and crank), wheel (1/1024 s), crank (1/1024 s)."""
        for _, wheel, crank in self.turned(1024):
            yield struct.pack("<BIHHH", 0x03, *wheel.fields(32), *crank.fields(16))

    def turned(self, wheel_rate):
        wheel, crank = Counter(wheel_rate, 2**32 - 100, 65000), Counter(1024, 65500, 64000)
        for at, second in enumerate(self.seconds):
            wheel.turn(at, second.speed * 1000 / self.wheel_mm)
            crank.turn(at, second.cadence / 60)
            yield second, wheel, crank

    # Figures

    @property
    def watts(self):
        return [second.watts for second in self.seconds]

    @property
    def average_watts(self):
        return sum(self.watts) / len(self.watts)

    @property
    def max_watts(self):
        return max(self.watts)

    @property
    def work_joules(self):
        return sum(self.watts)

    @property
    def normalised_watts(self):
        return normalised(self.watts)

    def best_watts(self, seconds):
        """The highest average of so many seconds in a row; None if the ride is shorter."""
        watts = self.watts
        if len(watts) < seconds:
            return None
        return max(sum(watts[place:place + seconds]) for place in range(len(watts) - seconds + 1)) / seconds

    @property
    def average_cadence(self):
        """Revolutions a minute while the crank turns."""
        turning = [second.cadence for second in self.seconds if second.cadence]
        return sum(turning) / len(turning)

    @property
    def distance_m(self):
        """Metres of the whole revolutions of the wheel."""
        *_, (_, wheel, _) = self.turned(2048)
        return wheel.count * self.wheel_mm / 1000


def normalised(watts, window=30):
    """Normalised power of a value a second: the fourth root of the mean of the fourth powers of the means of 30 s.

    The means begin with the first whole window.
    """
    means = [math.fsum(watts[end - window:end]) / window for end in range(window, len(watts) + 1)]
    return (math.fsum(mean**4 for mean in means) / len(means)) ** 0.25
