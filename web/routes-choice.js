// The routes that were found: their list, the flattest first, profiles, and turns.

import { element, show } from './dom.js';
import { cueName } from './course.js';
import { decimal, distance, elapsed, height } from './format.js';
import { t } from './i18n.js';
import { far } from './outside.js';
import { Profile } from './profile.js';
import { signOf, turnIcon } from './turn-icons.js';

/** By rank; further routes are brown. */
const COLOURS = ['--green', '--mint', '--yellow', '--orange', '--red'];
const TURNS = 30;
/** A length that differs by less is the wished one. */
const SAME_LENGTH = 0.01;

export const rankColour = (index) => COLOURS[index] ?? '--brown';

/**
 * `onPick(index)`, `onGo(button)` and `onSave(button)` report what the user does; `chosen` is the index of a route.
 */
export class RoutesChoice {
  constructor({ onPick, onGo, onSave }) {
    Object.assign(this, { onPick, onGo, onSave, result: null, chosen: 0, profile: null });
    this.node = element('div', { class: 'stack' });
  }

  clear() {
    this.profile?.destroy();
    Object.assign(this, { result: null, profile: null });
    this.node.replaceChildren();
  }

  /** `result`: of route.find, with the `courses` of its routes; `wished`: the metres of a round trip. */
  show(result, wished) {
    this.clear();
    Object.assign(this, { result, wished, chosen: 0 });
    const count = result.routes.length;
    const heading = element('h2', { tabIndex: -1 }, t(wished ? 'routes.found_loops' : 'routes.found', { count }));
    this.list = this.routeList();
    this.turns = this.turnsCard();
    this.node.replaceChildren(heading, this.list, this.buttons(), this.profileCard(), this.turns,
      element('p', { class: 'soft credit' }, t('routes.engine', { engine: result.engine, host: result.host })));
    heading.focus({ preventScroll: true });
  }

  choose(index) {
    this.chosen = index;
    [...this.list.children].forEach((row, place) => {
      row.setAttribute('aria-checked', String(place === index));
      row.tabIndex = place === index ? 0 : -1;
    });
    const isOpen = this.turns.open;
    this.turns.replaceWith(this.turns = this.turnsCard());
    if (isOpen) this.turns.open = true;
    this.go.textContent = this.goText();
    this.drawProfiles();
  }

  /** Shows all figures again, in other units. */
  showUnits() {
    if (!this.result) return;
    this.list.replaceWith(this.list = this.routeList());
    this.choose(this.chosen);
  }

  // The list

  routeList() {
    const list = element('div', { class: 'routes', role: 'radiogroup', 'aria-label': t('routes.choose') });
    list.append(...this.result.routes.map((route, index) => this.routeRow(route, index)));
    list.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.onPick((this.chosen + step + list.children.length) % list.children.length);
      list.children[this.chosen].focus();
    });
    return list;
  }

  routeRow(route, index) {
    const figures = [
      ['routes.ascent', route.ascent_m, height], ['routes.descent', route.descent_m, height],
      ['routes.time', route.duration_s, (seconds) => elapsed(seconds * 1000)],
      ['routes.steepest', route.steepest_percent, (percent) => `${decimal(percent, 0)} %`],
    ].filter(([, value]) => value !== undefined);
    const mark = element('span', { class: 'rank figures' }, String(index + 1));
    mark.style.setProperty('--rank', `var(${rankColour(index)})`);
    const isChosen = index === this.chosen;
    return element('button', { type: 'button', role: 'radio', class: 'route', onclick: () => this.onPick(index),
      'aria-checked': String(isChosen), tabIndex: isChosen ? 0 : -1 }, mark,
    element('span', { class: 'length figures' }, distance(route.length_m)),
    element('span', { class: 'route-figures figures' }, figures.map(([key, value, format]) =>
      element('span', {}, t(key, { value: format(value) })))),
    this.wished ? element('span', { class: 'about' }, lengthText(route.length_m - this.wished, this.wished)) : null,
    route.is_tie && index > 0 ? element('span', { class: 'about' }, t('routes.tie')) : null);
  }

  // GO, profiles and turns

  goText() {
    return t('routes.go', { number: this.chosen + 1 });
  }

  buttons() {
    this.go = element('button', { class: 'main go', type: 'button', onclick: () => this.onGo(this.go) }, this.goText());
    const save = element('button', { type: 'button', onclick: () => this.onSave(save) }, t('routes.save'));
    return element('div', { class: 'buttons' }, this.go, save);
  }

  profileCard() {
    const card = element('section', { class: 'card' }, element('h3', {}, t('routes.profiles')));
    if (this.result.routes.some((route) => route.altitude_m)) {
      this.profile = new Profile(card, { label: t('routes.profiles') });
    } else card.append(element('p', { class: 'soft' }, t('routes.no_altitudes')));
    this.drawProfiles();
    return card;
  }

  drawProfiles() {
    const lines = this.result.routes.map(({ distance_m: distances = [], altitude_m: altitudes = [] }, index) => ({
      distances, altitudes, colour: rankColour(index), width: index === this.chosen ? 5 : 2,
      isFilled: index === this.chosen }));
    lines.push(...lines.splice(this.chosen, 1));
    this.profile?.set({ lines });
  }

  turnsCard() {
    const { points } = this.result.courses[this.chosen];
    if (points.length === 0) return element('p', { class: 'turns soft' }, t('routes.no_turns'));
    const rest = element('button', { type: 'button', onclick: () => {
      list.append(...points.slice(TURNS).map(turnRow));
      show(rest, false);
      list.children[TURNS].focus();
    } }, t('routes.more_turns', { count: points.length - TURNS }));
    const list = element('ol', { class: 'plain turn-list' }, points.slice(0, TURNS).map(turnRow));
    return element('details', { class: 'card turns' }, element('summary', {},
      t('routes.turns', { count: points.length })), list, points.length > TURNS ? rest : null);
  }
}

function turnRow(point) {
  return element('li', { tabIndex: -1 }, turnIcon(signOf(point)),
    element('span', { class: 'when figures' }, far(point.distance)),
    element('span', {}, cueName(point.type), point.name ? ` · ${point.name}` : ''));
}

/** How far a round trip is from its wished length. */
function lengthText(difference, wished) {
  if (Math.abs(difference) < SAME_LENGTH * wished) return t('routes.as_wished');
  return t(difference > 0 ? 'routes.longer' : 'routes.shorter', { value: far(Math.abs(difference)) });
}
