// The map and the charts of an activity with one cursor, the stretch that is selected, and its figures.

import { Charts } from './activity-charts.js';
import { ActivityMap } from './activity-map.js';
import { element, show } from './dom.js';
import { distance, duration, height, percent } from './format.js';
import { figureText, figureTitle } from './figure-words.js';
import { card, valueList, whole } from './history.js';
import { t } from './i18n.js';
import { isOwn } from './own-fields.js';
import { figuresOf } from './stretch.js';
import { hasPosition, linesOf, lossesOf } from './track.js';

/** A grade with a decimal, but no negative zero. */
const gradeText = (value) => percent(Math.abs(value) < 0.05 ? 0 : value);

/** The figures of a stretch as pairs of title and text. */
function stretchFigures(track, { from, to }, sport) {
  const figures = figuresOf(track, from, to);
  const metres = (value) => (Number.isFinite(value) ? height(value) : null);
  return [
    [t('field.distance'), figures.metres > 0 ? distance(figures.metres) : null],
    [t('field.time'), duration(Math.round(figures.seconds * 1000))],
    [figureTitle('speed', sport), figures.speed > 0 ? figureText('speed', figures.speed, sport) : null],
    [t('field.heart_rate'), whole(figures.heart, 'bpm')], [t('field.max_heart_rate'), whole(figures.mostHeart, 'bpm')],
    [t('field.power'), whole(figures.power, 'W')], [t('field.ascent'), metres(figures.ascent)],
    [t('field.descent'), metres(figures.descent)],
    [t('field.grade'), Number.isFinite(figures.grade) ? gradeText(figures.grade) : null],
    ...Object.keys(figures).filter(isOwn).map((key) => [figureTitle(key), figureText(key, figures[key])]),
  ];
}

export class TrackCard {
  /** `onSelect(stretch)`: another stretch { from, to, name } is selected, null: none. */
  constructor({ sport, onSelect }) {
    Object.assign(this, { sport, onSelect });
    this.side = element('div', { class: 'side' });
    this.main = element('div', { class: 'course' });
    this.body = element('div', { class: 'track' }, this.side, this.main);
    this.node = card(t('activity.track'), this.body);
  }

  destroy() {
    this.map?.destroy();
  }

  /** Shows a track; null says that there is none. */
  fill(track) {
    this.track = track;
    const lines = track ? linesOf(track) : [];
    const hasMap = lines.length > 0;
    this.losses = track ? lossesOf(track) : [];
    if (hasMap) {
      this.map = new ActivityMap(this.side,
        { track, lines, sport: this.sport, onPlace: (place) => this.moveTo(place) });
    } else this.side.append(element('p', {}, t('activity.no_positions')));
    this.body.classList.toggle('mapless', !hasMap);
    if (!track || track.count < 2) return;
    this.charts = new Charts(this.main, { track, sport: this.sport, losses: this.losses,
      onCursor: (row) => this.map?.setCursor(row), onStretch: (stretch) => this.took(stretch),
      onZoom: (stretch) => this.map?.look(stretch), onMark: (mark) => mark.open() });
    show(this.charts.node, !this.charts.isEmpty);
    this.panel = element('section', { class: 'stretch', 'aria-label': t('charts.stretch'), hidden: true });
    this.main.append(this.panel);
  }

  /** The map was tapped: the cursor moves to the nearest place. */
  moveTo({ latitude, longitude }) {
    const { track } = this;
    const across = Math.cos(latitude * Math.PI / 180);
    let [best, nearest] = [0, Infinity];
    for (let row = 0; row < track.count; row += 1) {
      if (!hasPosition(track, row)) continue;
      const away = Math.hypot(track.latitude[row] - latitude, (track.longitude[row] - longitude) * across);
      if (away < nearest) [best, nearest] = [row, away];
    }
    this.charts.move(best);
  }

  /** Selects a stretch that has a name, and brings the charts into sight. */
  select(stretch) {
    if (!this.charts) return;
    this.charts.zoom(null);
    this.charts.select(stretch);
    this.charts.move(stretch.from);
    this.node.scrollIntoView({ block: 'start' });
  }

  /** Shows another track beside this one. */
  showOther(other) {
    this.charts?.setOther(other);
    this.map?.setOther(other);
  }

  took(stretch) {
    this.map?.setStretch(stretch);
    show(this.panel, stretch !== null);
    if (stretch) {
      const name = stretch.name ?? this.charts.rangeText(stretch);
      this.panel.replaceChildren(element('div', { class: 'row' }, element('h3', {}, name),
        element('button', { type: 'button', onclick: () => this.zoom(stretch) }, t('charts.in')),
        element('button', { type: 'button', 'aria-label': t('charts.clear'), title: t('charts.clear'),
          onclick: () => this.charts.select(null) }, '✕')),
      element('div', { class: 'small' }, valueList(stretchFigures(this.track, stretch, this.sport))));
    }
    this.onSelect(stretch);
  }

  zoom(stretch) {
    this.charts.zoom(stretch);
    this.charts.place.focus({ preventScroll: true });
  }
}
