"""The made ride of the harness: its notifications agree with its figures."""

import struct

from harness.made_ride import MadeRide, normalised


def steps(values, end):
    """The steps of a counter that wraps."""
    return [(after - before) % end for before, after in zip(values, values[1:])]


def test_counters_of_both_services_give_the_distance_of_the_ride():
    ride = MadeRide(seed=1, seconds=1800)
    power = [struct.unpack("<HhIHHH", notification) for notification in ride.power_notifications()]
    speed = [struct.unpack("<BIHHH", notification) for notification in ride.speed_notifications()]
    assert [fields[1] for fields in power] == ride.watts
    for wheel in ([fields[2] for fields in power], [fields[1] for fields in speed]):
        # It wraps within the ride.
        assert min(wheel) < 1000 < max(wheel)
        assert abs(sum(steps(wheel, 1 << 32)) * ride.wheel_mm / 1000 - ride.distance_m) < 20
    for place, second in enumerate(ride.seconds[1:], 1):
        count, ticks = ((power[place][field] - power[place - 1][field]) % 65536 for field in (4, 5))
        if count and place > 10 and all(other.cadence == second.cadence for other in ride.seconds[place - 2:place + 1]):
            assert abs(count * 60 * 1024 / ticks - second.cadence) < 0.2


def test_normalised_power_of_simple_rides():
    assert abs(normalised([200] * 3600) - 200) < 1e-9
    # An hour of which one half has 300 W and the other none: nearly 300 × 0.5 to the power of a quarter.
    assert abs(normalised([300] * 1800 + [0] * 1800) - 300 * 0.5**0.25) < 1.5


def test_seed_gives_the_same_ride_again():
    assert MadeRide(seed=5, seconds=600).seconds == MadeRide(seed=5, seconds=600).seconds
    assert MadeRide(seed=5, seconds=600).seconds != MadeRide(seed=6, seconds=600).seconds
