"""Made timetables: GTFS feeds of a few lines, or of a large agency."""

import csv
import io
import zipfile

# Of a degree of latitude.
METRES = 111_195
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
AGENCY = "Made Transit"


def clock(seconds):
    """The text of seconds of a service day, such as `25:10:00`."""
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


class Feed:
    """A feed with one agency and one service on all days. `tables` has the rows of each file, the columns first."""

    def __init__(self, zone="Europe/Berlin", days=("20260101", "20271231")):
        self.tables = {
            "agency.txt": [["agency_name", "agency_url", "agency_timezone"], [AGENCY, "http://transit.example", zone]],
            "calendar.txt": [["service_id", *WEEKDAYS, "start_date", "end_date"], ["daily", *"1111111", *days]],
            "stops.txt": [["stop_id", "stop_code", "stop_name", "stop_lat", "stop_lon"]],
            "routes.txt": [["route_id", "route_short_name", "route_long_name", "route_type", "route_color"]],
            "trips.txt": [["route_id", "service_id", "trip_id", "trip_headsign", "bikes_allowed", "shape_id"]],
            "stop_times.txt": [["trip_id", "arrival_time", "departure_time", "stop_id", "stop_sequence"]]}

    def add(self, table, *row):
        self.tables[table].append(list(row))

    def stop(self, name, title, place, code=""):
        self.add("stops.txt", name, code, title, *(f"{degrees:.6f}" for degrees in place))

    def line(self, name, code, title, color=""):
        self.add("routes.txt", name, code, title, 3, color)

    def trip(self, name, line, *calls, service="daily", headsign="", bikes="", shape=""):
        """`calls`: stops, each with its time as text or in seconds of the service day."""
        self.add("trips.txt", line, service, name, headsign, bikes, shape)
        for number, (stop, time) in enumerate(calls, 1):
            text = time if isinstance(time, str) else clock(time)
            self.add("stop_times.txt", name, text, text, stop, number)

    def files(self):
        """The text of each file."""
        texts = {}
        for name, rows in self.tables.items():
            text = io.StringIO()
            csv.writer(text).writerows(rows)
            texts[name] = text.getvalue()
        return texts

    def write(self, path):
        return write_archive(path, self.files())


def write_archive(path, files, compression=zipfile.ZIP_DEFLATED):
    """A ZIP archive with the texts or the bytes of files."""
    with zipfile.ZipFile(path, "w", compression, compresslevel=1) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def write_large_feed(path, stop_times):
    """The feed of a large agency: lines with 30 stops each on a grid of streets, every 10 minutes."""
    feed = Feed()
    for number in range(10_000):
        place = (52.3 + number // 100 * 400 / METRES, 13 + number % 100 * 650 / METRES)
        feed.stop(f"S{number}", f"Street {number // 100}, corner {number % 100}", place)
    clocks = [clock(seconds) for seconds in range(0, 27 * 3600, 30)]
    trips, times, count = ["route_id,service_id,trip_id"], ["trip_id,arrival_time,departure_time,stop_id,stop_sequence"], 0
    while count < stop_times:
        line = len(feed.tables["routes.txt"])
        feed.line(f"R{line}", str(line), f"Line {line}")
        stops = [f"S{(line * 7919 + place) % 10_000}" for place in range(30)]
        for start in range(4 * 120, 25 * 120, 20):
            trip = f"{line}-{start}"
            trips.append(f"R{line},daily,{trip}")
            times += [f"{trip},{clocks[start + 3 * place]},{clocks[start + 3 * place]},{stop},{place + 1}"
                      for place, stop in enumerate(stops)]
            count += 30
    return write_archive(path, feed.files() | {"trips.txt": "\n".join(trips), "stop_times.txt": "\n".join(times)})
