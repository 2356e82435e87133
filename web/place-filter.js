// The fields of a search by place: near the position, the start of an activity, or a place with a name.

import { getJSON, getLines, rpc } from './api.js';
import { element, setText, show } from './dom.js';
import { distance, way } from './format.js';
import { activityTitle, startText } from './history.js';
import { errorText, isMetric, number, t } from './i18n.js';
import { labelled, select } from './page.js';
import { nameText } from './place-words.js';

const RADII = [500, 1000, 2000, 5000, 20_000];
const STARTS = 100;
const MATCHES = 6;

const radiusText = (metres) => (isMetric() && metres >= 1000 ? `${number(metres / 1000)} km` : way(metres));

export class PlaceFilter {
  /** `onChange()`: `near` or `radius` is another one. `near`: a position such as 46.95,7.45, '' for anywhere. */
  constructor(onChange) {
    Object.assign(this, { onChange, near: '', radius: 1000 });
    this.kind = select(['', 'position', 'activity', 'name'].map((kind) =>
      [kind, t(`activities.near_${kind || 'anywhere'}`)]), '', () => this.choose());
    this.radii = select(RADII.map((metres) => [String(metres), radiusText(metres)]), '1000', (metres) => {
      this.radius = Number(metres);
      if (this.near) onChange();
    });
    this.activity = select([], '', (id) => this.take(() => startOf(Number(id))));
    this.activities = labelled(t('activities.near_activity'), this.activity);
    this.name = element('input', { type: 'search', autocomplete: 'off', enterKeyHint: 'search',
      onkeydown: (event) => event.key === 'Enter' && this.find() });
    this.names = element('div', { class: 'place-name' }, labelled(t('activities.place_name'), this.name),
      element('button', { type: 'button', onclick: () => this.find() }, t('activities.find_place')));
    this.matches = element('ul', { class: 'list matches' });
    this.said = element('p', { role: 'status' });
    this.rest = element('div', { class: 'stack wide' }, this.activities, this.names, this.matches, this.said);
    this.nodes = [labelled(t('activities.near'), this.kind), labelled(t('activities.radius'), this.radii), this.rest];
    this.showFields();
  }

  showFields() {
    const kind = this.kind.value;
    this.radii.disabled = kind === '';
    show(this.rest, kind !== '');
    show(this.activities, kind === 'activity');
    show(this.names, kind === 'name');
  }

  async choose() {
    this.showFields();
    this.matches.replaceChildren();
    this.set('', '');
    if (this.kind.value === 'position') await this.take(present);
    if (this.kind.value === 'activity') await this.offerActivities();
    if (this.kind.value === 'name') this.name.focus();
  }

  /** Uses the position that a promise resolves to; says why there is none. */
  async take(work) {
    try {
      const [near, said] = await work();
      this.set(near, said);
    } catch (error) {
      this.set('', errorText(error));
    }
  }

  set(near, said) {
    setText(this.said, said);
    if (near === this.near) return;
    this.near = near;
    this.onChange();
  }

  async offerActivities() {
    const list = await getLines('/api/activities', { limit: STARTS }).catch(() => []);
    this.activity.replaceChildren(element('option', { value: '' }, t('activities.choose')), ...list.map((one) =>
      element('option', { value: one.id },
        [activityTitle(one), distance(one.distance_m), startText(one)].join(' · '))));
  }

  async find() {
    const text = this.name.value.trim();
    if (text === '') return;
    try {
      const { features } = await getJSON('/api/places/search', { text });
      setText(this.said, features.length === 0 ? t('activities.no_place') : '');
      this.matches.replaceChildren(...features.slice(0, MATCHES).map((one) => this.match(one)));
      this.matches.querySelector('button')?.focus();
    } catch (error) {
      setText(this.said, errorText(error));
    }
  }

  match({ geometry, properties }) {
    const [longitude, latitude] = geometry.coordinates;
    const name = nameText(properties);
    return element('li', {}, element('button', { type: 'button', onclick: () => {
      this.matches.replaceChildren();
      this.set(placeText(latitude, longitude), t('activities.near_place', { name }));
      this.name.focus();
    } }, [name, properties.city].filter(Boolean).join(' · ')));
  }
}

const placeText = (latitude, longitude) => `${latitude.toFixed(5)},${longitude.toFixed(5)}`;

async function present() {
  const { position } = await rpc('status');
  return position ? [placeText(position.latitude, position.longitude), t('activities.near_here')]
    : ['', t('activities.no_position')];
}

async function startOf(id) {
  if (!id) return ['', ''];
  const { rows } = await rpc('activities.track', { id, interval_ms: 5000, fields: ['latitude', 'longitude'] });
  const first = rows.find(([latitude]) => latitude !== null);
  return first ? [placeText(...first), ''] : ['', t('activities.no_route')];
}
