// What the layers of a vector map are to us: classes that are drawn, and labels. Two schemas: Shortbread (our own
// import writes a part of it) and OpenMapTiles.

/** In the order of drawing; a bucket of a decoded tile has the number 3 × class + level. */
export const CLASSES = ['field', 'built', 'bare', 'green', 'wood', 'wet', 'ice', 'water', 'building', 'coast', 'stream',
  'river', 'boundary', 'ferry', 'lift', 'rail', 'path', 'track', 'cycleway', 'service', 'minor', 'tertiary',
  'secondary', 'primary', 'motorway'];
export const TUNNEL = 0;
export const GROUND = 1;
export const BRIDGE = 2;
const NUMBERS = new Map(CLASSES.map((name, number) => [name, number]));
const POINT = 1;
const LINE = 2;
const AREA = 3;

/** 'wood: forest; ice: glacier' by the values. Maps, because a value of a tile may be 'constructor'. */
function table(text) {
  const classes = new Map();
  for (const row of text.split(';')) {
    const [name, values] = row.split(':');
    for (const value of values.trim().split(/\s+/)) classes.set(value, name.trim());
  }
  return classes;
}

const isTrue = (value) => value === true || value === 1 || value === 'yes' || value === 'true';

/** A link is one step thinner than its road. */
const thinner = (name) => (['tertiary', 'secondary', 'primary', 'motorway'].includes(name)
  ? CLASSES[NUMBERS.get(name) - 1] : name);

function nameOf(tags) {
  const name = [tags.name, tags['name:latin'], tags.name_int].find((one) => typeof one === 'string' && one !== '');
  return name?.slice(0, 60);
}

const numberOf = (value) => (Number.isFinite(Number(value)) ? Number(value) : 0);

function roadLabel(tags) {
  const name = nameOf(tags);
  const ref = typeof tags.ref === 'string' ? tags.ref.split('\n')[0].slice(0, 12) : '';
  return name || ref ? { kind: 'road', name: name ?? '', ref } : null;
}

const RANKS = ['city', 'town', 'village', 'suburb', 'hamlet'];
const KINDS = table(`city: capital state_capital city; town: town; village: village;
  suburb: suburb quarter neighbourhood borough; hamlet: hamlet isolated_dwelling farm locality island`);

/** The weight orders places of one kind, the largest first. */
function placeLabel(tags, kind, weight) {
  const place = KINDS.get(kind);
  const name = nameOf(tags);
  return place && name ? { kind: 'place', place, name, rank: RANKS.indexOf(place) - Math.min(weight, 0.99) } : null;
}

function peakLabel(tags, kind) {
  if (kind !== undefined && !['peak', 'volcano', 'saddle'].includes(kind)) return null;
  const height = Math.round(numberOf(tags.ele));
  const name = nameOf(tags) ?? '';
  return name || height ? { kind: 'peak', name, height } : null;
}

const levelOf = (tags) => (isTrue(tags.tunnel) ? TUNNEL : isTrue(tags.bridge) ? BRIDGE : GROUND);
const brunnelOf = ({ brunnel }) => (brunnel === 'tunnel' ? TUNNEL : brunnel === 'bridge' ? BRIDGE : GROUND);
const stateBorder = (tags) => (numberOf(tags.admin_level) === 2 && !isTrue(tags.maritime) ? 'boundary' : null);

/**
 * A layer of which features become a class: `by` is the key of the table, or `always` the class of all; `then` may
 * change or drop it, `level` says tunnel, ground or bridge.
 */
const drawn = (type, { by, text, always, then = (name) => name, level = () => GROUND }) => {
  const classes = text ? table(text) : null;
  return { type, classOf: (tags) => {
    const name = then(classes ? classes.get(tags[by]) : always, tags);
    return name ? 3 * NUMBERS.get(name) + level(tags) : -1;
  } };
};
const labelled = (type, labelOf) => ({ type, labelOf });

function shortbreadStreet(name, tags) {
  if (isTrue(tags.rail)) return tags.kind === 'subway' ? null : 'rail';
  if (name === 'path' && tags.bicycle === 'designated') return 'cycleway';
  return name && isTrue(tags.link) ? thinner(name) : name;
}

const SHORTBREAD = {
  ocean: drawn(AREA, { always: 'water' }),
  land: drawn(AREA, { by: 'kind', text: `built: residential industrial commercial retail railway garages;
    bare: bare_rock scree shingle sand beach quarry; field: farmland orchard vineyard;
    green: grass meadow park garden golf_course village_green recreation_ground cemetery allotments playground grassland
    scrub heath; wood: forest; wet: swamp bog string_bog wet_meadow marsh` }),
  water_polygons: drawn(AREA, { always: 'water', then: (name, { kind }) => (kind === 'glacier' ? 'ice' : name) }),
  water_lines: drawn(LINE, { by: 'kind', text: 'stream: stream ditch; river: river canal',
    then: (name, tags) => (isTrue(tags.tunnel) ? null : name) }),
  coast: drawn(LINE, { always: 'coast' }),
  buildings: drawn(AREA, { always: 'building' }),
  boundaries: drawn(LINE, { then: (name, tags) => stateBorder(tags) }),
  ferries: drawn(LINE, { always: 'ferry' }),
  aerialways: drawn(LINE, { by: 'kind', text: 'lift: cable_car gondola chair_lift' }),
  streets: drawn(LINE, { by: 'kind', level: levelOf, then: shortbreadStreet, text: `
    path: path footway steps bridleway; track: track; cycleway: cycleway; service: service;
    minor: unclassified residential living_street pedestrian busway bus_guideway road; tertiary: tertiary;
    secondary: secondary; primary: primary; motorway: trunk motorway` }),
  street_labels: labelled(LINE, roadLabel),
  place_labels: labelled(POINT, (tags) => placeLabel(tags, tags.kind, Math.log10(1 + numberOf(tags.population)) / 10)),
  peaks: labelled(POINT, (tags) => peakLabel(tags, tags.kind)),
};

function openMapTilesStreet(name, tags) {
  if (name === 'rail') return tags.subclass === 'subway' ? null : name;
  if (name === 'path' || name === 'track') {
    if (tags.subclass === 'cycleway') return 'cycleway';
    if (name === 'track') return name;
    if (tags.subclass === 'pedestrian') return 'minor';
    return tags.bicycle === 'designated' ? 'cycleway' : 'path';
  }
  if (name === 'service' && tags.service === 'parking_aisle') return null;
  return name && isTrue(tags.ramp) ? thinner(name) : name;
}

const OPENMAPTILES = {
  landuse: drawn(AREA, { by: 'class', text: `
    built: residential commercial industrial retail railway garages suburb quarter neighbourhood;
    bare: quarry; green: cemetery pitch playground` }),
  landcover: drawn(AREA, { by: 'class', text: `bare: rock sand; field: farmland; green: grass; wood: wood; wet: wetland;
    ice: ice` }),
  water: drawn(AREA, { always: 'water', then: (name, tags) => (tags.brunnel === 'tunnel' ? null : name) }),
  waterway: drawn(LINE, { by: 'class', text: 'stream: stream ditch drain; river: river canal',
    then: (name, tags) => (tags.brunnel === 'tunnel' ? null : name) }),
  building: drawn(AREA, { always: 'building' }),
  boundary: drawn(LINE, { then: (name, tags) => stateBorder(tags) }),
  aerialway: drawn(LINE, { always: 'lift' }),
  transportation: drawn(LINE, { by: 'class', level: brunnelOf, then: openMapTilesStreet, text: `ferry: ferry;
    lift: aerialway cable_car gondola; rail: rail transit; path: path; track: track; service: service;
    minor: minor busway; tertiary: tertiary; secondary: secondary; primary: primary; motorway: trunk motorway` }),
  transportation_name: labelled(LINE, roadLabel),
  place: labelled(POINT, (tags) => placeLabel(tags, tags.class, tags.rank ? 1 - numberOf(tags.rank) / 30 : 0)),
  mountain_peak: labelled(POINT, (tags) => peakLabel(tags, tags.class)),
};

/** By name of the schema and of the layer. */
export const schemas = new Map([['shortbread', SHORTBREAD], ['openmaptiles', OPENMAPTILES]].map(([name, layers]) =>
  [name, new Map(Object.entries(layers))]));
