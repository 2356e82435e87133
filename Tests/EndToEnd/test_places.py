"""`pacectl places`: the places of an extract of OpenStreetMap, compared with those that PyPI's osmium reads."""

import collections
import json
import os
import sqlite3
import subprocess

import osmium
import pytest

from harness.maps import MapsCommand
from harness.paced_net import StandingGpsd
from harness.process import PACECTL, ROOT
from harness.timing import wait_for

EXTRACTS = ROOT / "Tests/Data/osm"
HERE = (42.5078, 1.5211)

# The tags of each kind, in words of their own.
AMENITIES = {
    "drinking_water": "water", "water_point": "water", "toilets": "toilets", "shelter": "shelter",
    "restaurant": "food", "cafe": "food", "fast_food": "food", "food_court": "food", "ice_cream": "food", "pub": "food",
    "bar": "food", "biergarten": "food", "bicycle_repair_station": "repair-station", "compressed_air": "pump",
    "pharmacy": "pharmacy", "hospital": "hospital", "bus_station": "station", "bench": "bench"}
OTHERS = {
    ("shop", "supermarket"): "food", ("shop", "convenience"): "food", ("shop", "bakery"): "food",
    ("shop", "greengrocer"): "food", ("shop", "bicycle"): "bicycle-shop", ("tourism", "alpine_hut"): "food",
    ("tourism", "wilderness_hut"): "shelter", ("tourism", "viewpoint"): "viewpoint", ("leisure", "park"): "park",
    ("leisure", "garden"): "garden", ("leisure", "playground"): "playground", ("railway", "station"): "station",
    ("railway", "halt"): "station", ("emergency", "defibrillator"): "aed", ("toilets", "yes"): "toilets",
    ("service:bicycle:pump", "yes"): "pump"}
DRINKABLE = {("amenity", "fountain"), ("man_made", "water_tap"), ("man_made", "water_well"), ("natural", "spring")}
SETTLEMENTS = set("city town village suburb borough quarter neighbourhood hamlet isolated_dwelling locality".split())


def kinds(tags):
    """The kinds of an element, without streets."""
    found = set()
    if tags.get("access") not in ("private", "no"):
        found = {kind for key, kind in OTHERS.items() if tags.get(key[0]) == key[1]}
        found |= {AMENITIES[tags["amenity"]]} if tags.get("amenity") in AMENITIES else set()
        if tags.get("drinking_water") == "yes" and any(tags.get(key) == value for key, value in DRINKABLE):
            found.add("water")
    if "name" in tags and tags.get("place") in SETTLEMENTS:
        found.add("place")
    if "addr:housenumber" in tags and ("addr:street" in tags or "addr:place" in tags):
        found.add("address")
    return found


def expected(path):
    """How many places each kind has, and the names of the streets, without elements whose shape the extract cuts."""
    counts, streets = collections.Counter(), set()
    nodes, ways = set(), set()
    for element in osmium.FileProcessor(str(path)):
        tags = dict(element.tags)
        if element.is_node():
            nodes.add(element.id)
        elif element.is_way():
            if not all(node.ref in nodes for node in element.nodes):
                continue
            ways.add(element.id)
        # A relation has a shape if it is an area.
        elif tags.get("type") not in ("multipolygon", "boundary") or not all(
                member.ref in ways for member in element.members if member.type == "w"):
            continue
        counts.update(kinds(tags))
        if "highway" in tags and "name" in tags and not element.is_node():
            streets.add(tags["name"])
    return counts, streets


class Places(MapsCommand):
    def features(self, *words):
        page = json.loads(self("--json", *words))
        assert page["type"] == "FeatureCollection" and "OpenStreetMap" in page["attribution"]
        return page["features"]


@pytest.fixture
def places(tmp_path):
    return Places("places", tmp_path)


@pytest.fixture
def andorra(places):
    places("import", EXTRACTS / "andorra.osm.pbf")
    return places


def made_extract(path):
    """Elements of all types and odd tags."""
    nodes = []

    def corners(west, south, size):
        for x, y in ((0, 0), (1, 0), (1, 1), (0, 1)):
            nodes.append((len(nodes) + 1, west + x * size, south + y * size))
        return [len(nodes) - 3, len(nodes) - 2, len(nodes) - 1, len(nodes)]

    park, outer, inner, bench, street = (corners(8 + number * 0.1, 47, 0.01) for number in range(5))
    with osmium.SimpleWriter(str(path)) as writer:
        for number, x, y in nodes:
            writer.add_node(osmium.osm.mutable.Node(id=number, location=(x, y)))
        tagged = [
            {"amenity": "drinking_water"}, {"amenity": "drinking_water", "access": "private"}, {"amenity": "fountain"},
            {"amenity": "fountain", "drinking_water": "yes"}, {"man_made": "water_tap", "drinking_water": "yes"},
            {"amenity": "restaurant", "toilets": "yes", "name": "Löwen", "opening_hours": "Mo-Su 00:00-24:00"},
            {"shop": "bicycle", "service:bicycle:pump": "yes", "opening_hours": "sunrise-sunset"},
            {"amenity": "cafe", "name": "\x1b[31mRed", "opening_hours": "off", "website": "http://example.org"},
            {"addr:housenumber": "5"}, {"addr:housenumber": "5", "addr:place": "Hof"}, {"place": "town", "name": "Bern"},
            {"place": "city"}, {"highway": "crossing", "name": "Nowhere"}, {"emergency": "defibrillator"}]
        for number, tags in enumerate(tagged):
            writer.add_node(osmium.osm.mutable.Node(id=100 + number, location=(7.5 + number * 0.001, 47), tags=tags))
        way = osmium.osm.mutable.Way
        writer.add_way(way(id=1, nodes=park + park[:1], tags={"leisure": "park", "name": "Park"}))
        writer.add_way(way(id=2, nodes=outer + outer[:1]))
        writer.add_way(way(id=3, nodes=inner + inner[:1]))
        writer.add_way(way(id=4, nodes=bench[:2], tags={"amenity": "bench"}))
        writer.add_way(way(id=5, nodes=street, tags={"highway": "path", "name": "Weg"}))
        members = [("w", 2, "outer"), ("w", 3, "outer")]
        writer.add_relation(osmium.osm.mutable.Relation(
            id=1, members=members, tags={"type": "multipolygon", "leisure": "garden"}))
        writer.add_relation(osmium.osm.mutable.Relation(id=2, members=members, tags={"type": "site", "leisure": "park"}))
    return path


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["andorra", "pyrosm-test", "made"])
def test_counts_equal_those_of_another_reader(places, name):
    path = EXTRACTS / f"{name}.osm.pbf" if name != "made" else made_extract(places.directory / "made.osm.pbf")
    answer = json.loads(places("--json", "import", path))
    counts, streets = expected(path)
    assert answer["skipped"] == 0
    assert {kind: count for kind, count in answer["places"].items() if kind != "street"} == dict(counts)
    assert sum(counts.values()) > 10
    with sqlite3.connect(f"file:{places.maps}/places.db?mode=ro", uri=True) as database:
        found = {name for name, in database.execute("SELECT name FROM place WHERE detail <> 'town' AND kind = 18")}
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert found == streets
    assert oct(os.stat(places.maps / "places.db").st_mode) == "0o100644"
    assert os.listdir(places.maps) == ["places.db"]


def test_new_user_finds_what_is_near(andorra):
    text = andorra("near", "--at", f"{HERE[0]},{HERE[1]}")
    assert text.splitlines()[0].split() == ["DISTANCE", "TO", "KIND", "NAME", "ID"]
    assert text.splitlines()[-1] == "© OpenStreetMap contributors, ODbL 1.0"
    near = andorra.features("near", "--at", f"{HERE[0]},{HERE[1]}", "--radius", "3000", "--kind", "food,park", "--limit", "5")
    assert len(near) == 5
    distances = [one["properties"]["distance_m"] for one in near]
    assert distances == sorted(distances) and distances[-1] <= 3000
    assert {one["properties"]["kind"] for one in near} <= {"food", "park"}
    shown = andorra("show", near[0]["id"])
    assert "https://www.openstreetmap.org/" in shown and "Position  42.5" in shown
    assert andorra.features("search", "andorra la v")[0]["properties"]["name"] == "Andorra la Vella"
    assert "no such place within 100 m" in andorra.refused("near", "--at", "42.6,1.6", "--radius", "100")
    assert "no place has the name 'xyzzy'" in andorra.refused("search", "xyzzy")
    assert "there is no place n1 in" in andorra.refused("show", "n1")


@pytest.mark.thorough
def test_opening_hours_that_are_not_understood_are_unknown(places):
    places("import", made_extract(places.directory / "made.osm.pbf"))
    assert "Open      open\n" in places("show", "n105")
    assert "Kind      toilets, food (restaurant)\n" in places("show", "n105")
    assert "Open      unknown\n" in places("show", "n106")
    red = places("show", "n107")
    assert "Open      closed\n" in red and "\x1b" not in red and "\N{REPLACEMENT CHARACTER}[31mRed" in red
    assert [one["properties"].get("open") for number in (105, 106, 107) for one in places.features("show", f"n{number}")] == [
        True, True, None, None, False]


def test_usage_errors_name_what_to_do(places):
    for words, message in [
        ([], "use 'places import FILE'"), (["import"], "places import needs a file"), (["beer"], "use 'places import FILE'"),
        (["show", "x1"], "needs the ID of a place, such as n123"), (["near", "--kind", "beer"], "--kind needs some of water"),
        (["near", "--kind", "street"], "--kind needs some of water"), (["near", "--radius", "5"], "from 10 to 100000"),
        (["near", "--at", "EDDB"], "--at needs a position such as"), (["along", "--at", "1,2"], "--at is an option of"),
        (["near", "--limit", "0"], "from 1 to 1000"),
    ]:
        assert message in places.refused(*words, status=2)
    assert "import an extract of OpenStreetMap with 'pacectl places import FILE.osm.pbf'" in places.refused("near", "--at", "1,2")


@pytest.mark.thorough
def test_damaged_and_hostile_files_keep_the_old_places(andorra):
    path = andorra.maps / "places.db"
    before = path.read_bytes()
    good = (EXTRACTS / "andorra.osm.pbf").read_bytes()
    feature = '\x1e{"type":"Feature","id":"n1","properties":{"amenity":"bench"},"geometry":%s}\n'
    cases = {
        "cut.osm.pbf": good[: len(good) // 2], "empty.osm.pbf": b"", "text.osm.pbf": b"x" * 5000,
        "flipped.osm.pbf": good[:3000] + bytes(byte ^ 0x55 for byte in good[3000:6000]) + good[6000:],
        "unknown.xyz": b"x", "empty.geojsonseq": b"", "other.geojsonseq": b'{"type":"Feature"}\n',
        "cut.geojsonseq": (feature % '{"type":"Point","coordinates":[1,2]}').encode() + b'\x1e{"type":"Fea',
        "binary.geojsonseq": bytes(range(256)) * 50, "deep.geojsonseq": b"[" * 100_000 + b"\n",
        "noid.geojsonseq": (feature % '{"type":"Point","coordinates":[1,2]}').replace('"id":"n1",', "").encode()}
    messages = {}
    for name, content in cases.items():
        (andorra.directory / name).write_bytes(content)
        messages[name] = andorra.refused("import", andorra.directory / name)
        assert path.read_bytes() == before and os.listdir(andorra.maps) == ["places.db"], name
    assert "the old places are kept" in messages["cut.osm.pbf"] and "EOF" in messages["cut.osm.pbf"]
    assert "cut.geojsonseq:2: the line is not JSON" in messages["cut.geojsonseq"]
    assert "--add-unique-id=type_id" in messages["noid.geojsonseq"]
    assert "No such file" in andorra.refused("import", andorra.directory / "missing.osm.pbf")
    odd = "".join(feature % shape for shape in (
        "null", '{"type":"Point","coordinates":[999,0]}', '{"type":"Point","coordinates":[1,2]}',
        '{"type":"LineString","coordinates":[%s]}' % ",".join(["[1.0000001,2.0000001]"] * 150_000)))
    (andorra.directory / "odd.geojsonseq").write_text(odd.replace('"n1"', '"n7"', 1))
    done = andorra.run("import", andorra.directory / "odd.geojsonseq")
    assert "Imported 1 places" in done.stdout and "3 features were left out" in done.stderr


@pytest.mark.thorough
def test_import_needs_osmium_memory_and_rest(places):
    extract = EXTRACTS / "andorra.osm.pbf"
    assert "sudo apt install osmium-tool" in places.refused("import", extract, environment={"PATH": "/nonexistent"})
    (places.directory / "root/proc").mkdir(parents=True)
    (places.directory / "root/proc/meminfo").write_text("MemTotal: 512000 kB\nMemAvailable:  204800 kB\n")
    little = ["--root", places.directory / "root"]
    assert "400 MiB of memory, and 200 MiB are free" in places.refused("import", extract, *little)
    assert "Imported" in places("import", extract, *little, "--force")
    # The default directory is the user's own where the system has none.
    own = places.directory / "data"
    done = subprocess.run(
        [str(PACECTL), "places", "import", str(extract), "--root", str(places.directory / "root"), "--force"],
        capture_output=True, text=True, timeout=300, env={"PATH": os.environ["PATH"], "XDG_DATA_HOME": str(own)})
    assert done.returncode == 0 and (own / "paced/places.db").exists(), done.stderr


@pytest.mark.thorough
def test_second_import_waits_for_the_first(places):
    places.maps.mkdir()
    holder = subprocess.Popen(
        ["flock", places.maps / "places.db.new", "sh", "-c", "echo held; read line"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    assert "another import into" in places.refused("import", EXTRACTS / "andorra.osm.pbf")
    holder.communicate("\n")
    assert "Imported" in places("import", EXTRACTS / "andorra.osm.pbf")


@pytest.mark.thorough
def test_pacectl_needs_little_memory_for_many_places(places):
    path = places.directory / "many.geojsonseq"
    with path.open("w") as file:
        for number in range(1, 150_001):
            file.write(
                f'\x1e{{"type":"Feature","id":"n{number}","geometry":{{"type":"Point","coordinates":'
                f'[{8 + number * 7919 % 100_003 / 1e5},{47 + number * 104_729 % 100_003 / 1e5}]}},"properties":'
                f'{{"amenity":"cafe","name":"Café {number}","opening_hours":"Mo-Fr 08:00-18:00"}}}}\n')
    done, peak = places.measured("import", path)
    assert "Imported 150000 places" in done.stdout, done.stderr
    assert peak < 64
    assert len(places.features("search", "café 14999", "--limit", "100")) == 11
    assert len(places.features("near", "--at", "47.5,8.5")) == 20


def test_places_along_the_loaded_course(stage):
    places = Places("places", stage.directory)
    gpsd = stage.keep(StandingGpsd((47, 8)))
    paced = stage.paced("--gpsd", gpsd.option, "--sensors", "off")
    # 2 km to the north, then 1 km to the east.
    track = [(47 + step * 0.0009, 8) for step in range(21)] + [(47.018, 8 + step * 0.0013) for step in range(1, 11)]
    course = stage.directory / "course.gpx"
    course.write_text("<gpx><trk><trkseg>" + "".join(f'<trkpt lat="{y}" lon="{x}"/>' for y, x in track) + "</trkseg></trk></gpx>")
    spots = {"n1": (47.009, 8.0013, "drinking_water"), "n2": (47.0045, 7.9974, "toilets"), "n3": (47.018, 8.0065, "drinking_water"),
             "n4": (47.0135, 8.0130, "drinking_water"), "n5": (47.001, 8.0001, "bench")}
    (stage.directory / "spots.geojsonseq").write_text("".join(
        json.dumps({"type": "Feature", "id": name, "properties": {"amenity": kind},
                    "geometry": {"type": "Point", "coordinates": [x, y]}}) + "\n" for name, (y, x, kind) in spots.items()))
    places("import", stage.directory / "spots.geojsonseq")
    assert "no course is loaded" in places.refused("along")
    subprocess.run(
        [PACECTL, "--runtime-dir", paced.runtime, "--state-dir", stage.directory / "state", "course", "import", course, "--load"],
        check=True, capture_output=True)
    found = places.features("along")
    assert [one["id"] for one in found] == ["n2", "n1", "n3"]
    sides = [one["properties"]["side"] for one in found]
    assert sides == ["left", "right", "on_course"]
    assert [one["properties"]["ahead_m"] for one in found] == pytest.approx([500, 1000, 2494], abs=6)
    assert [one["properties"]["detour_m"] for one in found] == pytest.approx([394, 197, 0], abs=4)
    assert [one["id"] for one in places.features("along", "--kind", "water", "--radius", "1000")] == ["n1", "n4", "n3"]
    text = places("along")
    assert text.splitlines()[0].split() == ["AHEAD", "TO", "DETOUR", "KIND", "ID"]
    # Here is the position of paced.
    wait_for(lambda: places.run("near", "--kind", "water").returncode == 0, 60, "a position")
    assert places.features("near", "--kind", "water")[0]["id"] == "n1"
    paced.call("run.start")
    assert "a run is in progress" in places.refused("import", stage.directory / "spots.geojsonseq")
    assert "Imported" in places("import", stage.directory / "spots.geojsonseq", "--force")
