// The data fields of a page, drawn as large as they fit.

import { element, setText, show, svg } from './dom.js';
import { colourProperty, fieldOf, fieldTitle, fieldValue, valueOf } from './fields.js';
import { age, decimal } from './format.js';
import { t } from './i18n.js';
import { layout, paginate, titleSize } from './layout.js';

/** Fields of this size have no title, as in RunFree. */
const UNTITLED = 60;

/** The colour of a heart-rate zone in text. */
const zoneText = ['--green', '--teal', '--blue', '--yellow', '--orange', '--red'];

/** Sources that a position feeds. */
const byPosition = ['distance', 'position', 'altitude', 'course'];

/** Whether values by position are those of a while ago. */
export function lacksFix({ run, indoor, source, position, gpsd }) {
  const isWanted = run === 'active' && !indoor && source === undefined && gpsd?.reason !== 'off';
  return isWanted && (!position || Boolean(position.stale));
}

/** What a field shows: { title, icon, text, unit, widest, message, fraction, colour, isQuiet, isOld, offer }. */
function faceOf(field, state, settings, strap) {
  const { field: name, size } = field;
  const title = field.title_visible && size < UNTITLED ? field.title ?? fieldTitle(name) : null;
  const { format, source, icon } = fieldOf(name);
  const isZone = format === 'zone';
  const isRing = isZone && field.style === 'ring';
  const face = {
    name, size, title, icon, isBar: isZone && !isRing, isRing,
    spoken: field.title ?? fieldTitle(name),
    colour: colourProperty(field.colour), message: null, isQuiet: false,
    isOld: byPosition.includes(source) && state !== null && lacksFix(state),
    ...fieldValue(name, valueOf(name, state)),
  };
  if (name === 'time_of_day' && state?.time) Object.assign(face, fieldValue(name, state.time));
  if (name === 'heart_rate') {
    addHeart(face, field, state, settings);
    face.offer = strap?.offer(state, settings);
  }
  if (isZone) addZone(face, state, settings);
  // A ring is as wide as two figures.
  if (face.isRing) Object.assign(face, { widest: '00', title: title === null ? null : face.text });
  return face;
}

function addHeart(face, field, state, settings) {
  const heart = state?.heart ?? {};
  face.text = heart.bpm === undefined ? '--' : decimal(heart.bpm, 0);
  if (heart.link === 'connected') {
    if (heart.stale && face.title !== null) {
      face.title = t('live.heart_stale', { title: face.title, age: age(heart.age_ms / 1000) });
    } else if (heart.contact === false && face.title !== null) face.title = t('live.no_contact', { title: face.title });
    face.isOld = Boolean(heart.stale);
    face.isQuiet = heart.bpm === undefined || face.isOld;
    const isColoured = !face.isQuiet && settings.use_heart_rate_zones && field.colour === 'primary';
    if (isColoured && heart.zone !== undefined) face.colour = zoneText[heart.zone] ?? face.colour;
    return;
  }
  face.isQuiet = true;
  if (heart.link === 'connecting') face.message = [t('live.connecting')];
  else if (['no-bluetooth', 'no-adapter', 'adapter-off', 'adapter-blocked'].includes(heart.reason)) {
    face.message = [t('live.no_bluetooth'), t('live.no_heart_short')];
  } else face.message = [t('live.no_heart'), t('live.no_heart_short')];
}

function addZone(face, state, settings) {
  const { link, zone, zone_fraction: fraction, zone_name: name } = state?.heart ?? {};
  if (link === 'connected' && zone !== undefined) {
    face.fraction = fraction ?? 0;
    face.zone = zone;
    face.parts = boundaries(settings.zones);
    const words = { 'Warm Up': t('live.warm_up') };
    face.text = zone > 0 ? t('live.zone', { zone }) : words[name] ?? name ?? t('live.zone', { zone });
  } else {
    face.message = [t('live.no_zone')];
    face.text = fieldTitle('zone');
  }
}

/** The places of the bottoms of zones 2 to 5 on the bar: that of zone 5 is at 0.95. */
function boundaries(zones) {
  if (zones?.length !== 5) return [];
  const [first, ...others] = zones;
  return others.map((bottom) => (bottom - first) / (zones[4] - first) * 0.95);
}

/** A page of data fields in an element. */
export class Stage {
  constructor(parent) {
    this.box = element('div', { class: 'stage' });
    this.empty = element('p', { class: 'empty soft', hidden: true }, t('live.no_fields'));
    parent.append(this.box, this.empty);
    this.cells = [];
    this.shape = '';
    this.isInRun = false;
    this.split = { key: null, pages: [] };
    /** A NearestStrap, where the field of the heart rate may have its button. */
    this.strap = null;
    this.observer = new ResizeObserver(() => {
      this.shape = '';
      if (this.box.clientHeight > 0) this.split.key = null;
      this.onResize?.();
    });
    this.observer.observe(this.box);
  }

  /** In a run figures have a least size. */
  setInRun(isInRun) {
    if (isInRun === this.isInRun) return;
    this.isInRun = isInRun;
    this.shape = '';
    this.split.key = null;
  }

  /** The pages with what fits on each. They stay while the fields stay. */
  pagesThatFit(pages, state, settings) {
    const key = JSON.stringify(pages.map((page) => page.map(({ field }) => [field, fieldOf(field).decimals])));
    if (this.split.key !== key || this.split.settings !== settings) {
      const box = this.measure();
      const split = (page) => paginate(page.map((field) => ({ field, ...faceOf(field, state, settings, null) })), box)
        .map((faces) => faces.map(({ field }) => field));
      this.split = { key: box.isKnown ? key : null, settings, pages: this.known ? pages.flatMap(split) : pages };
    }
    return this.split.pages;
  }

  /** The box of the fields, as layout() takes it; that of before while it is hidden. */
  measure() {
    if (this.box.clientHeight === 0 && this.known) return { ...this.known, isKnown: false };
    const style = getComputedStyle(this.box);
    const width = this.box.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    const height = this.box.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
    const box = { isKnown: width > 0 && height > 0, width: Math.max(width, 100), height: Math.max(height, 60),
      font: style.fontFamily, screen: this.isInRun ? innerHeight : undefined };
    if (box.isKnown) this.known = box;
    return box;
  }

  /** Shows the fields of a page; the bands are built anew only if their shape changes. */
  render(page, state, settings) {
    const faces = (page ?? []).map((field) => faceOf(field, state, settings, this.strap));
    show(this.empty, faces.length === 0 && Boolean(settings.screens));
    const shape = JSON.stringify(faces.map(({ name, size, title, widest, unit, message, spoken, isRing, offer }) =>
      [name, size, title === null, widest.length, unit, message?.[0] ?? null, spoken, isRing, Boolean(offer)]));
    if (shape !== this.shape) this.build(faces, shape);
    faces.forEach((face, index) => this.cells[index].update(face));
  }

  build(faces, shape) {
    const box = this.measure();
    this.shape = box.isKnown ? shape : '';
    const bands = layout(faces, box);
    this.box.classList.toggle('lone', bands.length === 1);
    const made = new Map();
    this.box.replaceChildren(...bands.map((band) => {
      const cells = band.faces.map((face) => {
        const cell = new (face.isBar ? BarCell : face.isRing ? RingCell : face.offer ? OfferCell : Cell)(band.size);
        made.set(face, cell);
        return cell.node;
      });
      return element('dl', { class: band.isBar ? 'band bar-band' : 'band' }, cells);
    }));
    this.cells = faces.map((face) => made.get(face));
  }
}

class Cell {
  constructor(size) {
    this.title = element('span', { class: 'title' });
    this.unit = element('span', { class: 'unit' });
    this.term = element('dt', {}, this.title);
    this.value = element('span', { class: 'value' });
    this.definition = element('dd', {}, this.value);
    this.node = element('div', { class: 'cell' }, this.term, this.definition);
    this.definition.style.fontSize = `${size}px`;
    this.term.style.fontSize = `${titleSize(size)}px`;
    this.size = size;
  }

  update(face) {
    this.node.dataset.field = face.name;
    this.showIcon(face.icon);
    this.node.classList.toggle('stale', face.isOld);
    this.term.classList.toggle('unseen', face.title === null);
    setText(this.title, face.title ?? face.spoken);
    const isMessage = face.message !== null;
    this.definition.classList.toggle('message', isMessage);
    if (isMessage && face.message[0] !== this.message) setText(this.value, this.messageThatFits(face.message));
    if (!isMessage) setText(this.value, face.text);
    this.message = face.message?.[0];
    this.placeUnit(face, isMessage);
    this.value.style.color = `var(${face.isQuiet ? '--soft' : face.colour})`;
  }

  /** The unit stands behind the title, or behind the figures if there is no title. */
  placeUnit(face, isMessage) {
    setText(this.unit, isMessage ? '' : face.unit);
    const place = face.title === null ? this.definition : this.term;
    if (this.unit.parentNode !== place) place.append(this.unit);
  }

  /** The drawing of a field of another program: loaded for these only. */
  async showIcon(name) {
    if (name === this.icon) return;
    this.icon = name;
    const { ownIcon } = await import('./own-icons.js');
    this.term.querySelector('svg')?.remove();
    if (name !== undefined) this.term.prepend(ownIcon(name));
  }

  messageThatFits(messages) {
    const small = Math.min(Math.max(this.size * 0.36, 14), 34);
    this.value.style.fontSize = `${small}px`;
    const room = (this.node.clientWidth || 100) * Math.max(Math.floor(this.size / small / 1.15), 1);
    return messages.find((text) => text.length * small * 0.6 < room) ?? messages.at(-1);
  }
}

/** A button in the place of a value that there is not. */
class OfferCell extends Cell {
  constructor(size) {
    super(size);
    this.button = element('button', { type: 'button', class: 'offer', onclick: () => this.press() });
    this.value.replaceWith(this.button);
  }

  update(face) {
    super.update({ ...face, message: null, text: '', unit: '' });
    setText(this.button, face.offer.text);
    this.button.setAttribute('aria-disabled', String(face.offer.isBusy));
    this.press = face.offer.press;
  }
}

const RADIUS = 42;
const ROUND = 2 * Math.PI * RADIUS;

/** The zone as a ring that fills clockwise from the top, with the number of the zone in it. */
class RingCell extends Cell {
  constructor(size) {
    super(size);
    this.number = svg('text', { x: 50, y: 66, 'text-anchor': 'middle', 'font-size': 46 });
    this.fill = svg('circle', { class: 'fill', cx: 50, cy: 50, r: RADIUS });
    this.ticks = svg('g', { class: 'ticks' });
    this.ring = svg('svg', { viewBox: '0 0 100 100', class: 'zone-ring', role: 'meter', 'aria-valuemin': 0,
      'aria-valuemax': 100 }, svg('circle', { class: 'way', cx: 50, cy: 50, r: RADIUS }),
    svg('g', { transform: 'rotate(-90 50 50)' }, this.fill, this.ticks), this.number);
    this.definition.append(this.ring);
  }

  update(face) {
    super.update({ ...face, text: '' });
    const isKnown = face.message === null;
    this.ring.toggleAttribute('hidden', !isKnown);
    show(this.value, !isKnown);
    if (!isKnown) return;
    const percent = Math.round(face.fraction * 1000) / 10;
    setText(this.number, String(face.zone));
    const attributes = { 'aria-valuenow': percent, 'aria-valuetext': face.text, 'aria-label': face.spoken };
    for (const [name, value] of Object.entries(attributes)) this.ring.setAttribute(name, value);
    this.fill.setAttribute('stroke-dasharray', `${face.fraction * ROUND} ${ROUND}`);
    this.fill.style.stroke = `var(--zone-${face.zone})`;
    const places = face.parts.join();
    if (places === this.places) return;
    this.places = places;
    this.ticks.replaceChildren(...face.parts.map((part) => svg('path', { d: 'M85 50h14',
      transform: `rotate(${part * 360} 50 50)` })));
  }
}

class BarCell {
  constructor(size) {
    this.fill = element('div', { class: 'fill' });
    const range = { 'aria-valuemin': '0', 'aria-valuemax': '100' };
    this.meter = element('div', { class: 'zone-bar', role: 'meter', ...range }, this.fill,
      ...[1, 2, 3, 4].map(() => element('i', { class: 'tick' })));
    this.name = element('span', { class: 'zone-name' });
    this.node = element('div', { class: 'cell zone', dataset: { field: 'zone' } },
      element('dt', { class: 'unseen' }, fieldTitle('zone')), this.row = element('dd', {}, this.meter, this.name));
    // As high without a zone.
    this.row.style.height = `${Math.max(size, 16)}px`;
    this.meter.style.height = `${size}px`;
    this.name.style.fontSize = `${Math.min(Math.max(size * 0.7, 14), 24)}px`;
  }

  update(face) {
    const isKnown = face.message === null;
    const percent = isKnown ? Math.round(face.fraction * 1000) / 10 : 0;
    show(this.meter, isKnown);
    setText(this.name, isKnown ? face.text : face.message[0]);
    this.meter.setAttribute('aria-valuenow', String(percent));
    this.meter.setAttribute('aria-valuetext', face.text);
    this.meter.setAttribute('aria-label', face.spoken);
    this.fill.style.width = `${percent}%`;
    this.fill.style.background = `var(--zone-${face.zone ?? 0})`;
    this.name.classList.toggle('soft', !isKnown);
    if (isKnown) this.setTicks(face.parts);
  }

  setTicks(parts) {
    this.meter.querySelectorAll('.tick').forEach((tick, index) => {
      show(tick, parts[index] !== undefined);
      if (parts[index] !== undefined) tick.style.left = `${parts[index] * 100}%`;
    });
  }
}
