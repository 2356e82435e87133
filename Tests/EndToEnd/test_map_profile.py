"""The profile of tilemaker that makes the map of the page (`map/`): which tags give what, from which zoom on."""

import json
import subprocess
import xml.etree.ElementTree as XML

import pytest

from harness.process import ROOT
from harness.vector_tiles import features, metadata

PROFILE = ROOT / "map"
LAYERS = ("ocean land water_polygons water_lines coast buildings streets ferries aerialways boundaries street_labels "
          "place_labels peaks").split()
# Degrees: the distance of two objects, and the size of one, which is 330 m by 440 m.
STEP, SIZE = 0.03, 0.004
COLUMNS = 12
WEST, SOUTH = 1.5, 42.5


def tags(text):
    """`a=b c=d`; `~` is a blank."""
    return {key: value.replace("~", " ") for key, value in (pair.split("=", 1) for pair in text.split())}


def label(zoom, kind, **attributes):
    return zoom, {"kind": kind, **attributes}


def street(zoom, kind, names=None, **attributes):
    return {"streets": label(zoom, kind, **attributes), **({"street_labels": names} if names else {})}


def one(layer, zoom, kind=None, **attributes):
    return {layer: label(zoom, kind, **attributes) if kind else (zoom, attributes)}


# Tags, and in each layer the least zoom and the attributes.
WAYS = {
    "highway=motorway ref=A~1;E~9": street(6, "motorway", label(12, "motorway", ref="A 1\nE 9")),
    "highway=motorway_link ref=A~1": street(6, "motorway", link=True),
    "highway=trunk": street(6, "trunk"),
    "highway=primary bridge=viaduct layer=1": street(8, "primary", bridge=True),
    "highway=secondary tunnel=yes layer=-1": street(9, "secondary", tunnel=True),
    "highway=tertiary name=Carrer~Major surface=asphalt": street(
        10, "tertiary", label(12, "tertiary", name="Carrer Major"), surface="paved"),
    "highway=residential name=Carrer~Nou bridge=no": street(
        12, "residential", label(14, "residential", name="Carrer Nou")),
    "highway=unclassified surface=concrete:plates": street(12, "unclassified", surface="paved"),
    "highway=living_street": street(12, "living_street"),
    "highway=pedestrian": street(12, "pedestrian"),
    "highway=pedestrian area=yes": {},
    "highway=service": street(13, "service"),
    "highway=service service=driveway access=private": street(14, "service", service="driveway", access="no"),
    "highway=cycleway surface=unknown": street(11, "cycleway"),
    "highway=track tracktype=grade3 surface=gravel": street(12, "track", tracktype="grade3", surface="unpaved"),
    "highway=track tracktype=bad access=no": street(12, "track", access="no"),
    "highway=path bicycle=designated": street(12, "path", bicycle="designated"),
    "highway=footway bicycle=no covered=yes": street(13, "footway", bicycle="no", tunnel=True),
    "highway=steps bicycle=yes": street(13, "steps"),
    "highway=footway footway=sidewalk name=Carrer~Nou": {},
    "highway=footway footway=crossing": {},
    "highway=construction": {},
    "railway=rail bridge=yes": street(9, "rail", rail=True, bridge=True),
    "railway=rail service=siding": street(14, "rail", rail=True, service="siding"),
    "railway=tram": street(12, "tram", rail=True),
    "railway=subway tunnel=yes": {},
    "railway=abandoned": {},
    "waterway=river name=Valira": one("water_lines", 8, "river"),
    "waterway=canal": one("water_lines", 11, "canal"),
    "waterway=stream tunnel=culvert": one("water_lines", 13, "stream", tunnel=True),
    "waterway=drain": one("water_lines", 13, "ditch"),
    "natural=coastline": one("coast", 6),
    "route=ferry": one("ferries", 9, "ferry"),
    "aerialway=mixed_lift": one("aerialways", 12, "gondola"),
    "aerialway=zip_line": {},
    "boundary=administrative admin_level=2": one("boundaries", 6, admin_level=2),
    "boundary=administrative admin_level=2 maritime=yes": {},
    "boundary=administrative admin_level=4": {},
    # Not closed, so no area.
    "natural=wood": {},
}
AREAS = {
    "natural=wood": one("land", 11, "forest"),
    "natural=wetland wetland=bog": one("land", 11, "bog"),
    "natural=wetland": one("land", 11, "marsh"),
    "natural=scree": one("land", 11, "scree"),
    "landuse=residential name=Ordino": one("land", 11, "residential"),
    "landuse=farmland": one("land", 11, "farmland"),
    "leisure=park natural=valley": one("land", 11, "park"),
    "amenity=grave_yard": one("land", 11, "cemetery"),
    "natural=glacier": one("water_polygons", 11, "glacier"),
    "natural=water water=lake": one("water_polygons", 11, "water"),
    "landuse=reservoir": one("water_polygons", 11, "reservoir"),
    "building=yes": one("buildings", 14),
    "building=no": {},
    "highway=residential junction=roundabout": street(12, "residential"),
}
NODES = {
    "place=town name=Andorra~la~Vella capital=yes population=22256": one(
        "place_labels", 6, "capital", name="Andorra la Vella", population=22256),
    "place=city name=Lleida population=about~140000": one("place_labels", 6, "city", name="Lleida"),
    "place=town name=Encamp capital=4": one("place_labels", 7, "state_capital", name="Encamp"),
    "place=village name=Ordino population=nan": one("place_labels", 10, "village", name="Ordino"),
    "place=hamlet name=Llorts": one("place_labels", 12, "hamlet", name="Llorts"),
    "place=hamlet": {},
    "place=locality name=Pla": {},
    "natural=peak name=Comapedrosa ele=2942.5": one("peaks", 11, "peak", name="Comapedrosa", ele=2942.5),
    "natural=saddle ele=2408~m": one("peaks", 12, "saddle", ele=2408),
    "natural=peak name=Puig ele=high": one("peaks", 13, "peak", name="Puig"),
    "natural=peak": {},
    "natural=tree name=Roure": {},
}
OBJECTS = [(shape, text, expected) for shape, table in (("way", WAYS), ("area", AREAS), ("node", NODES))
           for text, expected in table.items()]


class Extract:
    """An extract of OpenStreetMap with all objects, each in a place of its own."""

    def __init__(self):
        self.root = XML.Element("osm", version="0.6")
        XML.SubElement(self.root, "bounds", minlat="42", minlon="1", maxlat="43", maxlon="2")
        self.elements = {"node": [], "way": [], "relation": []}

    def add(self, kind, tagged, **attributes):
        element = XML.Element(kind, id=str(len(self.elements[kind]) + 1), version="1", **attributes)
        self.elements[kind].append(element)
        for key, value in tagged.items():
            XML.SubElement(element, "tag", k=key, v=value)
        return element.get("id")

    def node(self, place, tagged={}):
        return self.add("node", tagged, lon=f"{place[0]:.7f}", lat=f"{place[1]:.7f}")

    def way(self, nodes, tagged={}):
        way = self.add("way", tagged)
        for node in nodes:
            XML.SubElement(self.elements["way"][-1], "nd", ref=node)
        return way

    def relation(self, tagged, **roles):
        self.add("relation", tagged)
        for role, way in roles.items():
            XML.SubElement(self.elements["relation"][-1], "member", type="way", ref=way, role=role)

    def write(self, path):
        for elements in self.elements.values():
            self.root.extend(elements)
        XML.ElementTree(self.root).write(path)


def corner(place):
    """The south-west of the object of this number."""
    return WEST + place % COLUMNS * STEP, SOUTH + place // COLUMNS * STEP


def ring(extract, place, size=SIZE, margin=0.0):
    west, south = (value + margin for value in corner(place))
    nodes = [extract.node((west + x * size, south + y * size)) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    return [*nodes, nodes[0]]


def line(extract, place, points=2):
    west, south = corner(place)
    return [extract.node((west + i * SIZE, south + i % 2 * SIZE)) for i in range(points)]


# Those that one row of a table cannot say have the places after the others.
BORDER, WOOD, SQUARE, COAST = range(len(OBJECTS), len(OBJECTS) + 4)


@pytest.fixture(scope="module")
def tiles(tmp_path_factory):
    """The file that tilemaker writes."""
    directory = tmp_path_factory.mktemp("map")
    extract = Extract()
    for place, (shape, text, _) in enumerate(OBJECTS):
        if shape == "node":
            extract.node(corner(place), tags(text))
        else:
            extract.way((ring if shape == "area" else line)(extract, place), tags(text))
    border = extract.way(line(extract, BORDER))
    for name in ("Andorra", "Espanya"):
        extract.relation(tags(f"type=boundary boundary=administrative admin_level=2 name={name}"), outer=border)
    extract.relation(tags("type=multipolygon landuse=forest"), outer=extract.way(ring(extract, WOOD)),
                     inner=extract.way(ring(extract, WOOD, SIZE / 2, SIZE / 4)))
    extract.relation(tags("type=multipolygon highway=pedestrian"), outer=extract.way(ring(extract, SQUARE)))
    coast = line(extract, COAST, points=4)
    for first in (2, 0, 1):
        extract.way(coast[first:first + 2], tags("natural=coastline"))
    extract.write(directory / "made.osm")
    path = directory / "map.mbtiles"
    for command in (
            ["osmium", "renumber", "--no-progress", "--output", "made.osm.pbf", "made.osm"],
            ["tilemaker", "--threads", "1", "--input", "made.osm.pbf", "--output", path,
             "--config", PROFILE / "config.json", "--process", PROFILE / "process.lua"]):
        ended = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=120)
        assert ended.returncode == 0, ended.stderr
    return path


@pytest.fixture(scope="module")
def found(tiles):
    """By place: the features, each with the part of it that is there. At low zooms tilemaker joins those alike."""
    places = {}
    for feature in features(tiles):
        for part in feature.parts:
            lon, lat = part[0]
            place = round((lat - SOUTH - SIZE / 2) / STEP) * COLUMNS + round((lon - WEST - SIZE / 2) / STEP)
            places.setdefault(place, []).append(feature._replace(parts=[part]))
    return places


@pytest.mark.parametrize("place", range(len(OBJECTS)), ids=lambda place: " ".join(OBJECTS[place][:2]))
def test_tags_give_layer_least_zoom_and_attributes(found, place):
    layers = {}
    for feature in sorted(found.get(place, [])):
        least, attributes = layers.setdefault(feature.layer, (feature.zoom, feature.attributes))
        assert feature.attributes == attributes
    assert layers == OBJECTS[place][2]


def test_border_of_two_countries_comes_once(found):
    border, = [feature for feature in found[BORDER] if feature.zoom == 12]
    assert (border.layer, border.attributes, len(border.parts[0])) == ("boundaries", {"admin_level": 2}, 2)


def test_multipolygon_has_its_hole_and_gives_no_line(found):
    outer, inner = [feature for feature in found[WOOD] if feature.zoom == 12]
    assert outer.attributes == inner.attributes == {"kind": "forest"}
    assert SQUARE not in found


def test_coast_keeps_its_direction_at_every_zoom(found):
    coast = [feature for feature in found[COAST] if feature.layer == "coast"]
    assert {feature.zoom for feature in coast} == set(range(6, 15))
    for feature in coast:
        lons = [lon for lon, _ in feature.parts[0]]
        assert lons == sorted(lons), feature


def test_metadata_name_the_layers_and_the_credit(tiles):
    values = metadata(tiles)
    assert values["attribution"] == "© OpenStreetMap contributors"
    assert (values["format"], values["minzoom"], values["maxzoom"]) == ("pbf", "6", "14")
    assert [layer["id"] for layer in json.loads(values["json"])["vector_layers"]] == LAYERS
