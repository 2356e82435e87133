"""What the pages of ANT+ sensors measure: 8 bytes in, the values of sensor.measure out, none where nothing is new.

`before` is the last page of the sensor that measured something, or None. Counters and times are as they are in a page,
of 16 bits.
"""


def word(page, index):
    return int.from_bytes(page[index:index + 2], "little")


def heart_rate(page, before):
    """The interval before a beat ends at its time. It begins where page 4 says, or at the beat of the page before."""
    number = page[0] & 0x7F  # The highest bit says that there are pages.
    if number > 7 or page[7] == 0:
        return {}
    beats = (page[6] - before[6]) % 256 if before else 0
    if beats and number == 4:
        begin = word(page, 2)
    elif beats == 1:
        begin = word(before, 4)
    else:
        return {"bpm": page[7]}
    return {"bpm": page[7], "rr_ms": [round((word(page, 4) - begin) % 65536 * 1000 / 1024, 1)]}


def power(page, before):
    """The power of a new event, and of several the average: pages are lost, the sum in them is not."""
    events = (page[1] - before[1]) % 256 if before else 1
    if page[0] != 0x10 or events == 0:
        return {}
    values = {"power_w": word(page, 6) if events == 1 else round((word(page, 4) - word(before, 4)) % 65536 / events)}
    if page[2] != 0xFF and page[2] & 0x80:  # The part of the right pedal; without the bit it may be that of either one.
        values["left_percent"] = 100 - (page[2] & 0x7F)
    if page[3] != 0xFF:
        values["cadence_rpm"] = page[3]
    return values


def counter(rotor, page, index):
    return {f"{rotor}_event_s": word(page, index) / 1024, f"{rotor}_revolutions": word(page, index + 2)}


def speed_cadence(page, before):
    return counter("crank", page, 0) | counter("wheel", page, 4)


def speed(page, before):
    return counter("wheel", page, 4) if page[0] & 0x7F <= 5 else {}


def cadence(page, before):
    return counter("crank", page, 4) if page[0] & 0x7F <= 5 else {}


def known(**values):
    return {key: value for key, value in values.items() if value is not None}


def muscle_oxygen(page, before):
    """The two highest numbers say that nothing was measured, or that there is too much light."""
    if page[0] != 0x01:
        return {}
    hemoglobin, saturation = word(page, 4) & 0xFFF, word(page, 6) >> 6
    return known(
        thb=hemoglobin / 100 if hemoglobin < 0xFFE else None, smo2=saturation / 10 if saturation < 0x3FE else None)


def core_temperature(page, before):
    """0 and the lowest number say that nothing was measured."""
    if page[0] != 0x01:
        return {}
    skin, core = page[3] + ((page[4] & 0xF0) << 4), word(page, 6)
    return known(
        skin_temperature=skin / 20 if skin not in (0, 0x800) else None,
        core_temperature=core / 100 if core not in (0, 0x8000) else None)


# The type of the device, the period of its pages in 1/32768 s, its kind for paced, and what its pages measure.
PROFILES = {
    "heart-rate": (120, 8070, "heart-rate", heart_rate),
    "power": (11, 8182, "power", power),
    "speed-cadence": (121, 8086, "speed-cadence", speed_cadence),
    "speed": (123, 8118, "speed-cadence", speed),
    "cadence": (122, 8102, "speed-cadence", cadence),
    "muscle-oxygen": (31, 8192, "muscle-oxygen", muscle_oxygen),
    "core-temperature": (127, 16384, "body-temperature", core_temperature),
}


def description(profile, page):
    """What a page says of its sensor, for sensor.announce."""
    if profile == "power" and page[0] == 0x51:
        version = page[3] * 100 + (page[2] if page[2] != 0xFF else 0)
        return {"serial_number": str(int.from_bytes(page[4:], "little")), "firmware": f"{version / 1000:g}"}
    if profile == "heart-rate" and page[0] & 0x7F == 7 and page[1] <= 100:
        return {"battery_percent": page[1]}
    return {}
