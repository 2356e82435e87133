"""FIT workout files, by Garmin's own encoder."""

import garmin_fit_sdk

MESSAGE = garmin_fit_sdk.Profile["mesg_num"]


def fit(steps, sport="running"):
    """The bytes of a file; each step has the fields of a workout_step."""
    encoder = garmin_fit_sdk.Encoder()
    encoder.on_mesg(MESSAGE["FILE_ID"], {
        "type": "workout", "manufacturer": "development", "product": 1, "serial_number": 7})
    encoder.on_mesg(MESSAGE["WORKOUT"], {"wkt_name": "Four by one", "sport": sport, "num_valid_steps": len(steps)})
    for index, step in enumerate(steps):
        encoder.on_mesg(MESSAGE["WORKOUT_STEP"], {"message_index": index} | step)
    return bytes(encoder.close())


def time(seconds, **fields):
    return {"duration_type": "time", "duration_value": seconds * 1000, "target_type": "open"} | fields


def repeat(first, times):
    return {"duration_type": "repeat_until_steps_cmplt", "duration_value": first, "target_value": times}


def lasting(minutes):
    """A file with one step of so many minutes."""
    return fit([time(60 * minutes)])
