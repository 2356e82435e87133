// What a search for routes asks: start, destination or length, the points between, and how the user travels.

import { getJSON } from './api.js';
import { element, setText, show } from './dom.js';
import { METRES_PER_MILE, distance, distanceUnit, plainDecimal } from './format.js';
import { errorText, hasText, isMetric, t } from './i18n.js';
import { Latest, parsePosition, positionText, segments, towards } from './outside.js';
import { labelled } from './page.js';
import { keep, kept } from './store.js';
import { MOST_POINTS } from './via-points.js';

const PROFILES = ['walk', 'run', 'ride'];
const PROFILE_KEY = 'paced.routes.profile';
const LENGTH_KEY = 'paced.routes.length';
const MATCHES = 8;
/** Characters that are completed, and the milliseconds of rest before. */
const SHORTEST = 3;
const PAUSE = 300;
/** Kilometres or miles of a round trip: route.find takes 500 m to 200 km. */
const LENGTHS = { metric: [0.5, 200], imperial: [0.4, 124] };
const USUAL_LENGTH = 5000;

const bare = ({ latitude, longitude }) => ({ latitude, longitude });
const coordinate = ({ latitude, longitude }) => ({ lat: latitude, lon: longitude });
const endText = (place) => (place.name ? `${place.name} (${positionText(place)})` : positionText(place));

/**
 * The form. `onEnds()`: start, destination or the points between have changed; `onClear()`: what it asks for is no more
 * what is shown or searched, returns whether there was something; `onFind({ keepsView })`: the user wants the routes;
 * `onMiddle()`: and a point at the middle of the map; `report(text)`: a problem, or null.
 */
export class RoutesForm {
  constructor({ onEnds, onClear, onFind, onCancel, onMiddle, report }) {
    Object.assign(this, { onEnds, onClear, onFind, report, from: null, to: null, here: null, points: [] });
    this.searches = new Latest();
    this.profile = PROFILES.includes(kept(PROFILE_KEY)) ? kept(PROFILE_KEY) : 'walk';
    this.isLoop = false;
    this.length = Number(kept(LENGTH_KEY)) || USUAL_LENGTH;
    this.node = element('div', { class: 'stack' }, this.buildKind(), this.buildPlace(), this.buildLength(),
      this.buildEnds(onMiddle), this.buildTap(), this.buildProfiles(), this.buildFind(onCancel));
    this.showKind();
  }

  // Parts

  buildKind() {
    return segments(t('routes.kind'), [['place', t('routes.to_place')], ['loop', t('routes.loop')]], 'place',
      (kind) => { this.chooseKind(kind === 'loop'); });
  }

  buildPlace() {
    this.input = element('input', { id: 'to', type: 'search', autocomplete: 'off', maxLength: 64, required: true,
      'aria-describedby': 'to-help', oninput: () => {
        clearTimeout(this.typing);
        this.typing = setTimeout(() => this.complete(), PAUSE);
      } });
    this.matches = element('ul', { class: 'results', 'aria-label': t('routes.matches') });
    this.place = element('div', { class: 'stack' }, element('form', { onsubmit: (event) => {
      event.preventDefault();
      this.lookUp();
    } }, element('label', { for: 'to' }, t('routes.to')), element('div', { class: 'line-of-controls' }, this.input,
      element('button', { type: 'submit' }, t('routes.search'))),
    element('p', { class: 'soft', id: 'to-help' }, t('routes.to_help'))), this.matches);
    return this.place;
  }

  buildLength() {
    this.lengthInput = element('input', { type: 'number', step: 'any', inputMode: 'decimal', required: true,
      oninput: () => this.takeLength() });
    this.lengthForm = element('form', { onsubmit: (event) => {
      event.preventDefault();
      if (!this.find.disabled) this.onFind();
    } }, labelled('', this.lengthInput), element('p', { class: 'soft' }, t('routes.loop_help')));
    this.showLength();
    return this.lengthForm;
  }

  buildEnds(onMiddle) {
    this.ends = element('dl', { class: 'facts', 'aria-live': 'polite' });
    this.swapButton = element('button', { type: 'button', onclick: () => this.swap() }, t('routes.swap'));
    this.list = element('ol', { class: 'plain via-list' });
    this.addButton = element('button', { type: 'button', onclick: onMiddle }, t('routes.via_add'));
    this.full = element('p', { class: 'soft', role: 'status' });
    this.between = element('div', { class: 'between' }, this.list, this.full,
      element('p', { class: 'soft' }, t('routes.via_help')),
      element('div', { class: 'buttons' }, this.addButton, this.swapButton));
    return element('div', { class: 'ends' }, this.ends, this.between);
  }

  buildTap() {
    this.tap = segments(t('routes.tap'), [['to', t('routes.tap_to')], ['from', t('routes.tap_from')]], 'to', () => {});
    this.tapField = element('div', { class: 'field' }, element('span', {}, t('routes.tap')), this.tap);
    return this.tapField;
  }

  buildProfiles() {
    const profiles = PROFILES.map((name) => [name, t(`routes.profile.${name}`)]);
    return element('div', { class: 'field' }, element('span', {}, t('routes.profile')),
      segments(t('routes.profile'), profiles, this.profile, (value) => {
        this.profile = value;
        keep(PROFILE_KEY, value);
      }));
  }

  buildFind(onCancel) {
    this.find = element('button', { class: 'main', type: 'button', disabled: true, onclick: () => {
      if (!this.isLoop || this.lengthForm.reportValidity()) this.onFind();
    } }, t('routes.find'));
    this.cancel = element('button', { type: 'button', hidden: true, onclick: onCancel }, t('routes.cancel'));
    this.busy = element('p', { role: 'status', class: 'soft' });
    return element('div', { class: 'row' }, this.find, this.cancel, this.busy);
  }

  // What is asked

  /** The parameters of route.find. */
  get params() {
    // paced-net knows the position of a minute ago.
    const params = { profile: this.profile, from: coordinate(this.from ?? this.here) };
    if (this.isLoop) return { ...params, length_m: this.length };
    params.to = coordinate(this.to);
    if (this.points.length > 0) params.via = this.points.map(coordinate);
    return params;
  }

  /** The name of a course on such a route. */
  get courseName() {
    if (this.isLoop) return t('routes.loop_name', { distance: distance(this.length) });
    return t('routes.course_name', { place: this.to.name ?? positionText(this.to) });
  }

  get isStartAsked() {
    return this.isLoop || this.tap.querySelector('[aria-pressed="true"]').dataset.value === 'from';
  }

  setBusy(text) {
    setText(this.busy, text);
    show(this.cancel, text !== '');
    if (text === '') this.showEnds();
    else this.find.disabled = true;
  }

  setHere(here) {
    const isNew = Boolean(here) !== Boolean(this.here);
    this.here = here;
    if (isNew && this.cancel.hidden) this.showEnds();
  }

  // Start and destination

  chooseKind(isLoop) {
    this.isLoop = isLoop;
    this.showKind();
    this.onClear();
    this.showEnds();
  }

  showKind() {
    for (const node of [this.place, this.tapField]) show(node, !this.isLoop);
    show(this.lengthForm, this.isLoop);
  }

  take(position) {
    if (this.isStartAsked) this.setFrom(position);
    else this.setTo(bare(position));
  }

  setFrom(position) {
    this.from = position && bare(position);
    this.tap.choose('to');
    if (this.isLoop) this.onClear();
    this.showEnds();
  }

  setTo(place) {
    this.to = place;
    this.points = [];
    clearTimeout(this.typing);
    this.matches.replaceChildren();
    this.onClear();
    this.showEnds();
  }

  /** The way back. Where paced is becomes a fixed place. */
  swap() {
    const isFound = this.onClear();
    const here = this.here && { ...bare(this.here), name: t('routes.my_position') };
    [this.from, this.to] = [this.to, this.from ?? here];
    this.points = [...this.points].reverse();
    this.showEnds();
    if (isFound) this.onFind();
  }

  showEnds() {
    const { from, to, here, isLoop } = this;
    const origin = from ? endText(from) : t(here ? 'routes.my_position' : 'routes.no_position');
    this.ends.replaceChildren(...[
      element('dt', {}, t('routes.start')), element('dd', {}, origin, from ? this.backButton() : null),
      ...isLoop ? [] : [element('dt', {}, t('routes.destination')),
        element('dd', {}, to ? endText(to) : t('routes.none_yet'))]]);
    this.find.disabled = !(isLoop || to) || !(from ?? here) || !this.cancel.hidden;
    this.swapButton.disabled = !(from ?? here);
    this.showPoints();
    this.onEnds();
  }

  backButton() {
    return element('button', { type: 'button', class: 'inline', onclick: () => this.setFrom(null) },
      t('routes.from_here'));
  }

  // The points between

  /** Puts points in the place of the present ones; searches anew if routes are shown. */
  setPoints(points) {
    this.points = points;
    const isFound = this.onClear();
    this.showEnds();
    if (isFound) this.onFind({ keepsView: true });
  }

  showPoints() {
    show(this.between, !this.isLoop && this.to !== null);
    // A list that is the same keeps the focus.
    if (this.listed === this.points) return;
    this.listed = this.points;
    const isFull = this.points.length >= MOST_POINTS;
    this.list.replaceChildren(...this.points.map((point, index) => element('li', {},
      element('b', { class: 'via-mark', 'aria-hidden': 'true' }, String(index + 1)),
      element('span', {}, t('routes.via', { number: index + 1, place: positionText(point) })),
      element('button', { type: 'button', 'aria-label': t('routes.via_remove', { number: index + 1 }),
        onclick: () => this.removePoint(index) }, t('routes.remove')))));
    setText(this.full, isFull ? t('routes.via_full', { count: MOST_POINTS }) : '');
    this.addButton.disabled = isFull;
  }

  removePoint(index) {
    this.setPoints(this.points.filter((point, place) => place !== index));
    this.showPoint(Math.min(index, this.points.length - 1));
  }

  /** Moves the focus to a point of the list; to the button that adds one, if it has none. */
  showPoint(index) {
    (this.list.children[index]?.querySelector('button') ?? this.addButton).focus();
  }

  // The length

  takeLength() {
    if (!this.lengthInput.checkValidity()) return;
    this.length = this.lengthInput.valueAsNumber * (isMetric() ? 1000 : METRES_PER_MILE);
    keep(LENGTH_KEY, String(Math.round(this.length)));
    this.onClear();
  }

  /** Shows the length in the units of the user. */
  showLength() {
    const [least, most] = isMetric() ? LENGTHS.metric : LENGTHS.imperial;
    Object.assign(this.lengthInput, { min: least, max: most });
    const value = this.length / (isMetric() ? 1000 : METRES_PER_MILE);
    this.lengthInput.value = String(Number(plainDecimal(Math.min(Math.max(value, least), most), 1)));
    setText(this.lengthForm.querySelector('label > span'), t('routes.length', { unit: distanceUnit() }));
  }

  // The search for a place

  async lookUp() {
    clearTimeout(this.typing);
    const text = this.input.value.trim();
    const position = parsePosition(text);
    this.report(null);
    if (position) return this.setTo(position);
    try {
      const page = await this.searches.run((signal) => getJSON('/api/places/search', { text }, signal));
      if (page?.features.length === 0) return this.report(t('routes.no_match'));
      if (page) this.showMatches(page).querySelector('button').focus();
    } catch (error) {
      this.report(errorText(error));
    }
    return undefined;
  }

  /** Shows what a name that is not complete may become. A failure is told when somebody asks for it. */
  async complete() {
    const text = this.input.value.trim();
    const page = text.length < SHORTEST || parsePosition(text) ? { features: [] }
      : await this.searches.run((signal) => getJSON('/api/places/search', { text }, signal)).catch(() => null);
    if (page) this.showMatches(page);
  }

  /** `missing`: the words that none of the features has. */
  showMatches({ features, attribution, missing = [] }) {
    const credit = features.length > 0 ? element('li', { class: 'soft credit' }, attribution ?? '') : null;
    const partly = missing.length > 0 && credit ? element('li', { class: 'soft' },
      t('routes.missing', { words: missing.join(', ') })) : null;
    this.matches.replaceChildren(partly ?? '', ...features.slice(0, MATCHES).map((one) => this.match(one)),
      credit ?? '');
    return this.matches;
  }

  match({ geometry, properties }) {
    const [longitude, latitude] = geometry.coordinates;
    const name = properties.name ?? properties.address ?? properties.kind;
    const kind = hasText(`places.kind.${properties.kind}`) ? t(`places.kind.${properties.kind}`) : properties.kind;
    const about = [kind, properties.name ? properties.address : null].filter(Boolean).join(', ');
    const where = properties.distance_m === undefined ? '' : towards(properties.distance_m, properties.bearing_deg);
    return element('li', {}, element('button', { type: 'button', class: 'result', onclick: () => {
      this.setTo({ latitude, longitude, name });
      this.find.focus();
    } }, element('span', { class: 'title' }, name), element('span', { class: 'where figures' }, where),
    element('span', { class: 'about' }, about)));
  }
}
