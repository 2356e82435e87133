"""Reads FIT files with two readers that are not ours, Garmin's own and fitdecode, and says what is wrong with them.

    check_fit.py valid FILE…              each is an activity as devices write it
    check_fit.py kept FILE…               the same, with records while the timer stands
    check_fit.py same ORIGINAL EXPORTED…  pairs: what we keep of the first is in the second
    check_fit.py rows FILE EXPECTED…      pairs: the second is a line `time,latitude,longitude,metres,bpm` a record, then `rr,` and the
                                          milliseconds between beats

    check_fit.py timer FILE…              prints the timer and the stretches in which it runs
    check_fit.py course FILE…             prints the type of the file, the name and the sport of the course, and its points
    check_fit.py weather FILE…            prints the weather at the start, which both readers read
    check_fit.py totals FILE…             power and cadence of session and laps are those of the records, and fitdecode reads the same

A line a complaint, and status 1 where there is any.
"""

import itertools
import sys

import fitdecode
import garmin_fit_sdk

EPOCH = 631065600


def messages_of(path):
    """The messages of a file in their order, as (name, fields), and what Garmin's reader says is wrong."""
    messages = []
    names = {number: message["name"] for number, message in garmin_fit_sdk.Profile["messages"].items()}
    _, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(path)).read(
        mesg_listener=lambda number, fields: messages.append((names.get(number, number), fields)),
        convert_datetimes_to_dates=False, merge_heart_rates=False)
    return messages, [f"Garmin's reader says {error}" for error in errors]


def read(path):
    """The messages of a file, and what its readers complain of."""
    complaints = []
    if not garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(path)).is_fit():
        complaints.append("is no FIT file")
    if not garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file(path)).check_integrity():
        complaints.append("fails Garmin's check of its integrity")
    messages, errors = messages_of(path)
    complaints += errors
    try:
        with fitdecode.FitReader(path, check_crc=fitdecode.CrcCheck.RAISE) as other:
            count = sum(isinstance(frame, fitdecode.FitDataMessage) for frame in other)
        if count != len(messages):
            complaints.append(f"fitdecode reads {count} messages, Garmin's reader {len(messages)}")
    except Exception as error:
        complaints.append(f"fitdecode says {error!r}")
    return messages, complaints


def of(messages, name):
    return [fields for kind, fields in messages if kind == name]


def kept(path):
    """As valid, of a device that writes records while its timer stands."""
    return valid(path, keeps_pauses=True)


def valid(path, keeps_pauses=False):
    messages, complaints = read(path)
    if complaints:
        return complaints

    def demand(condition, complaint):
        if not condition:
            complaints.append(complaint)

    file_id = messages[0][1]
    demand(messages[0][0] == "file_id", "does not begin with file_id")
    demand(file_id.get("type") == "activity", "is no activity")
    demand(file_id.get("manufacturer") == "development", "names another manufacturer")
    demand(file_id.get("serial_number") and file_id.get("time_created"), "has no serial number or date")
    for name in "file_id", "file_creator", "session", "activity":
        demand(len(of(messages, name)) == 1, f"has not one {name}")
    records, laps = of(messages, "record"), of(messages, "lap")
    demand(records and laps, "has no record or no lap")
    if complaints:
        return complaints
    session, activity = of(messages, "session")[0], of(messages, "activity")[0]

    times = [fields["timestamp"] for _, fields in messages if "timestamp" in fields]
    demand(times == sorted(times), "has time stamps that go back")
    seconds = [fields["timestamp"] for fields in records]
    demand(len(seconds) == len(set(seconds)), "has two records of one second")
    demand(session["start_time"] <= seconds[0], "begins after its first record")
    demand(of(messages, "device_info")[0].get("device_index") == "creator", "does not say first what wrote it")

    running, active, began, paused = False, 0, None, False
    for name, fields in messages:
        if name == "event" and fields.get("event") == "timer":
            demand(fields.get("timer_trigger") in ("manual", "auto"), "has a timer event without trigger")
            demand(fields["event_type"] == ("stop_all" if running else "start"), "has timer events that do not alternate")
            if running:
                active += fields["timestamp"] - began
            # Records continue in an automatic pause.
            paused = running and fields["timer_trigger"] == "auto"
            running, began = not running, fields["timestamp"]
        elif name == "record" and len(records) > 1:
            demand(running or paused or keeps_pauses, f"has a record while the timer stands, at {fields['timestamp']}")
    demand(not running, "does not stop the timer")
    demand(abs(active - session["total_timer_time"]) <= 1, f"timer ran {active} s, session {session['total_timer_time']} s")
    demand(session["total_elapsed_time"] >= session["total_timer_time"], "is shorter than its active time")
    demand(session["num_laps"] == len(laps), "has another number of laps than the session says")
    demand([lap["message_index"] for lap in laps] == list(range(len(laps))), "does not count its laps")
    for key in "total_timer_time", "total_distance":
        total = sum(lap[key] for lap in laps)
        demand(abs(total - session[key]) < 0.001, f"laps' {key} adds up to {total}, session {session[key]}")
    for lap in laps:
        demand(lap["start_time"] <= lap["timestamp"], "has a lap that ends before it begins")
    metres = [fields["distance"] for fields in records if "distance" in fields]
    if metres:
        demand(abs(max(metres) - session["total_distance"]) < 0.001, f"last record {metres[-1]} m, session {session['total_distance']} m")
    hearts = [fields["heart_rate"] for fields in records if "heart_rate" in fields]
    if hearts:
        held = max(map(min, zip(hearts, hearts[1:] or hearts)))
        demand(session["max_heart_rate"] == held, f"maximum heart rate {session['max_heart_rate']}, held for two records {held}")
        average = sum(hearts) / len(hearts)
        demand(abs(session["avg_heart_rate"] - average) < 2, f"average heart rate {session['avg_heart_rate']}, records {average}")
    demand(activity["num_sessions"] == 1 and "local_timestamp" in activity, "has no local time")
    demand(activity["total_timer_time"] == session["total_timer_time"], "activity and session differ")
    for fields in of(messages, "hrv"):
        demand(len(fields["time"]) <= 5, "has more than five beats in a message")
    return complaints


def beats(messages):
    return [round(seconds * 1000) for fields in of(messages, "hrv") for seconds in fields["time"] if seconds]


def seconds_of(messages):
    """What is known of each second, two records of one second as one; those whose time goes back are left out."""
    result, newest = {}, 0
    for fields in of(messages, "record"):
        if fields.get("timestamp", 0) >= newest:
            newest = fields["timestamp"]
            result.setdefault(newest, {}).update(
                {key: value for key, value in fields.items() if value is not None and isinstance(key, str)})
    return result


def same(original, exported):
    first, second = messages_of(original)[0], messages_of(exported)[0]
    complaints = []
    before, after = seconds_of(first), seconds_of(second)
    if before.keys() != after.keys():
        complaints.append(f"{len(before)} seconds became {len(after)}, {sorted(before.keys() ^ after.keys())[:5]}")
    # Heart rates of a swim strap have their own messages: they come to the seconds that have none.
    has_strap = bool(of(first, "hr"))
    exact = ("position_lat", "position_long", "heart_rate", "cadence", "power", "temperature", "distance")
    for time in before.keys() & after.keys():
        one, other = before[time], after[time]
        # What no heart has, and no place on land, is not kept.
        if not 1 <= one.get("heart_rate", 1) <= 240:
            del one["heart_rate"]
        if one.get("position_lat") == one.get("position_long") == 0 or "position_lat" not in one or "position_long" not in one:
            one.pop("position_lat", None)
            one.pop("position_long", None)
        for key in exact + ("enhanced_altitude", "enhanced_speed"):
            is_merged = key == "heart_rate" and has_strap and key not in one
            if one.get(key) != other.get(key) and not is_merged:
                complaints.append(f"{key} of {time} was {one.get(key)} and became {other.get(key)}")
    if beats(first) != beats(second):
        complaints.append(f"{len(beats(first))} beats became {len(beats(second))} others")
    return complaints[:10]


def rows(path, expected):
    messages = messages_of(path)[0]
    complaints = []
    records = of(messages, "record")
    lines = open(expected).read().splitlines()
    expected_beats = [int(word) for line in lines if line.startswith("rr,") for word in line.split(",")[1:] if word]
    lines = [line for line in lines if not line.startswith("rr,")]
    for line, fields in itertools.zip_longest(lines, records, fillvalue=None):
        if line is None or fields is None:
            complaints.append(f"{len(lines)} seconds became {len(records)} records")
            break
        time, latitude, longitude, metres, bpm = line.split(",")
        if fields["timestamp"] + EPOCH != int(time):
            complaints.append(f"{time} became {fields['timestamp'] + EPOCH}")
        for word, key, scale, limit in (
            (latitude, "position_lat", 180 / 2**31, 1e-7), (longitude, "position_long", 180 / 2**31, 1e-7),
            (metres, "distance", 1, 0.00501), (bpm, "heart_rate", 1, 0),
        ):
            value = fields.get(key)
            if (word == "") != (value is None) or (word and abs(float(word) - value * scale) > limit):
                complaints.append(f"{key} of {time}: {word} became {value}")
    if expected_beats != beats(messages):
        complaints.append(f"{len(expected_beats)} beats became {len(beats(messages))} others")
    return complaints[:10]


def decoded(path, name):
    """The messages of a name as fitdecode reads them."""
    with fitdecode.FitReader(path) as file:
        return [{field.name: field.value for field in frame.fields} for frame in file
                if isinstance(frame, fitdecode.FitDataMessage) and frame.name == name]


def timer(path):
    """Prints the timer of the session, and the stretches in which the events have it running, in seconds from the start."""
    messages, complaints = read(path)
    session, = of(messages, "session")
    stretches = [fields["timestamp"] - session["start_time"] for fields in of(messages, "event") if fields.get("event") == "timer"]
    print(f"{session['total_timer_time']:g}", ",".join(f"{began}-{ended}" for began, ended in zip(stretches[::2], stretches[1::2])), end="")
    return complaints


def course(path):
    """Prints the course of a course or an activity, and compares what the readers say of its points."""
    messages, complaints = read(path)
    fields, = of(messages, "course")
    points = of(messages, "course_point")
    for index, (ours, other) in enumerate(zip(points, decoded(path, "course_point"), strict=True)):
        for key in "message_index", "distance", "type", "name", "position_lat":
            if ours.get(key) != other.get(key):
                complaints.append(f"point {index}: Garmin's reader has {key} {ours.get(key)}, fitdecode {other.get(key)}")
    described = [f"{point['distance']:.0f},{point['type']},{point.get('name', '')}" for point in points]
    print(";".join([of(messages, "file_id")[0]["type"], fields["name"], fields.get("sport", ""), *described]), end="")
    return complaints[:10]


def weather(path):
    """Prints the weather conditions as name=value, the observation's time in seconds before the start."""
    messages, complaints = read(path)
    session, = of(messages, "session")
    for ours, other in zip(of(messages, "weather_conditions"), decoded(path, "weather_conditions"), strict=True):
        if ours["timestamp"] != session["start_time"]:
            complaints.append("has weather of another time than the start")
        described = []
        for key, value in ours.items():
            theirs = other.get(key)
            if key in ("timestamp", "observed_at_time"):
                theirs = round(theirs.timestamp()) - EPOCH
            if value != theirs:
                complaints.append(f"Garmin's reader has {key} {value}, fitdecode {theirs}")
            if key == "observed_at_time":
                value = session["start_time"] - value
            if key != "timestamp":
                described.append(f"{key}={value}")
        print(";".join(described), end="")
    return complaints[:10]


def totals(path):
    messages, complaints = read(path)
    records = of(messages, "record")

    def compare(name, fields, first, last, tolerances):
        inside = [number for number, record in enumerate(records) if first < record["timestamp"] <= last]
        powers = [records[number]["power"] for number in inside if "power" in records[number]]
        cadences = [records[number]["cadence"] for number in inside if records[number].get("cadence")]
        windows = [[record.get("power") for record in records[max(number - 29, 0):number + 1]] for number in inside]
        fourth = [(sum(window) / 30) ** 4 for window in windows if len(window) == 30 and None not in window]
        expected = {
            "avg_power": sum(powers) / len(powers), "max_power": max(powers), "total_work": sum(powers),
            "normalized_power": (sum(fourth) / len(fourth)) ** 0.25, "max_cadence": max(cadences),
            "avg_cadence": sum(cadences) / len(cadences),
        }
        found = dict(fields)
        for key in "avg", "max":
            found[f"{key}_cadence"] = fields[f"{key}_cadence"] + fields.get(f"{key}_fractional_cadence", 0)
        for key, value in expected.items():
            if abs(found[key] - value) > tolerances.get(key, 0.5):
                complaints.append(f"{name} has {key} {found[key]}, the records {value}")

    for name in "session", "lap":
        ours, others = of(messages, name), decoded(path, name)
        for fields, other in zip(ours, others, strict=True):
            compare(name, fields, fields["start_time"],
                    fields["start_time"] + round(fields["total_elapsed_time"]), {"max_power": 0, "avg_cadence": 0.05})
            for key in "avg_power", "max_power", "normalized_power", "total_work", "avg_cadence", "max_cadence":
                if fields[key] != other[key]:
                    complaints.append(f"{name}: Garmin's reader has {key} {fields[key]}, fitdecode {other[key]}")
    for ours, other in zip(records, decoded(path, "record"), strict=True):
        for key in "power", "cadence", "temperature", "left_right_balance":
            if ours.get(key) != other.get(key):
                complaints.append(f"Garmin's reader has {key} {ours.get(key)}, fitdecode {other.get(key)}")
    print(";".join(
        f"{fields['device_index']},{fields.get('device_type', '')},{fields.get('source_type', '')},"
        f"{fields.get('manufacturer', '')},{fields.get('product_name', '')},{fields.get('serial_number', '')},"
        f"{fields.get('software_version', '')},{fields.get('battery_level', '')},{fields.get('battery_status', '')}"
        for fields in of(messages, "device_info") if fields["device_index"] != "creator"))
    return complaints[:10]


def main(command, *paths):
    checks = {"valid": (valid, 1), "kept": (kept, 1), "same": (same, 2), "rows": (rows, 2), "totals": (totals, 1), "timer": (timer, 1),
              "course": (course, 1), "weather": (weather, 1)}
    check, count = checks[command]
    failed = False
    for group in zip(*[iter(paths)] * count, strict=True):
        for complaint in check(*group):
            failed = True
            print(f"{group[-1]}: {complaint}")
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
