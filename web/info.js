// Lines about a run: its state, and below the figures links, partner, wind, sun, badge.

import { badgeName } from './badge-text.js';
import { element, setText, show } from './dom.js';
import { age, compass, distance, duration, height, rate, seconds, speed, way } from './format.js';
import { clock, t } from './i18n.js';

/** The state of the run in a word. */
export function runText(state) {
  if (!state) return t('live.waiting');
  const active = state.auto_paused ? 'live.auto_paused' : `live.active.${state.sport ?? 'other'}`;
  const idle = state.waiting === 'position' ? 'live.waits_position' : `live.${state.run}`;
  const text = t(state.run === 'active' ? active : idle);
  return state.demo ? `${text} (${t('live.demo')})` : text;
}

/** The lap in progress, from the second one on. */
export function detailText({ lap, indoor, source }) {
  if (!lap || lap.number < 2) return '';
  const far = indoor && source === undefined ? [] : [distance(lap.distance_m)];
  return [t('live.lap', { number: lap.number }), duration(lap.elapsed_ms), ...far].join('  ');
}

/** The figures of a run that has ended: [title, value]. */
export function summaryFigures(summary) {
  const figures = [
    [t('field.time'), duration(summary.elapsed_ms)], [t('field.distance'), distance(summary.distance_m)]];
  if (summary.average_pace_s_per_m !== undefined) {
    figures.push([t(summary.sport === 'ride' ? 'field.average_speed' : 'field.average_pace'),
      rate(summary.average_pace_s_per_m, summary.sport)]);
  }
  if (summary.average_bpm !== undefined) figures.push([t('field.average_heart_rate'), `${summary.average_bpm} bpm`]);
  return figures;
}

/** The lines of the card: [title, text], without those that are not known. */
export function infoLines(state) {
  const blocks = state.blocks ?? {};
  return [
    ['partner', partnerText(blocks.partner)], ['wind', windText(blocks.wind)],
    ['sun', sunText(blocks.sun)], ['badge', badgeText(blocks.badges)],
  ].filter(([, text]) => text);
}

function partnerText(partner) {
  if (!partner) return null;
  const { ahead_m: metres, ahead_s: time } = partner;
  const far = way(Math.abs(metres));
  const margin = time === undefined ? far : t('live.and', { a: seconds(Math.abs(time)), b: far });
  return t(metres >= 0 ? 'live.ahead' : 'live.behind', { margin, name: partner.name ?? t('live.the_partner') });
}

function windText(wind) {
  if (!wind) return null;
  const { headwind_mps: head, crosswind_mps: cross, speed_mps: strength, from_deg: from, reason } = wind;
  if (reason === 'stale') return t('live.wind_old');
  const parts = [];
  if (head !== undefined) {
    parts.push(t(head < 0 ? 'live.tailwind' : 'live.headwind', { speed: speed(Math.abs(head)) }));
    if (cross) parts.push(t(cross > 0 ? 'live.cross_right' : 'live.cross_left', { speed: speed(Math.abs(cross)) }));
  } else if (strength !== undefined && from !== undefined) {
    parts.push(t('live.wind_from', { speed: speed(strength), from: compass(from) }));
  } else if (reason === 'calm') parts.push(t('live.calm'));
  else if (reason === 'variable') {
    parts.push([strength === undefined ? '' : speed(strength), t('live.wind_variable')].join(' ').trim());
  }
  else parts.push(t('live.wind_unknown'));
  const old = wind.age_s === undefined ? '' : ` ${t('live.age', { age: age(wind.age_s) })}`;
  return [...parts, wind.station + old].join(', ');
}

function sunText(sun) {
  if (!sun) return null;
  if (sun.state === 'polar-day') return t('live.polar_day');
  if (sun.state === 'polar-night') return t('live.polar_night');
  const isDark = sun.state === 'night';
  const parts = [];
  if (sun.rise && (isDark || !sun.set)) parts.push(t('live.sunrise', { time: clock(sun.rise) }));
  if (sun.set) parts.push(t('live.sunset', { time: clock(sun.set) }));
  if (sun.light_left_s > 0) parts.push(t('live.light_left', { time: lightText(sun.light_left_s) }));
  return parts.join(', ');
}

function lightText(left) {
  const minutes = Math.floor(left / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function badgeText(badges) {
  if (!badges?.next) return null;
  return t('live.badge_in', { badge: badgeName(badges.next), distance: distance(badges.remaining_m) });
}

/** The strap, the receiver and the battery: [{ text, status }]; status is good, warn or bad. */
export function linkLines(state) {
  return [strapLine(state), receiverLine(state), batteryLine(state)].filter(Boolean);
}

function strapLine({ heart }) {
  if (!heart || heart.reason === 'off') return null;
  const status = { connected: 'good', connecting: 'warn' }[heart.link] ?? 'bad';
  const name = heart.name ?? t('live.strap');
  const battery = heart.battery_percent === undefined ? '' : ` ${heart.battery_percent} %`;
  if (heart.link === 'connected') return { text: name + battery, status };
  return { text: heart.link === 'connecting' ? `${name}: ${t('live.connecting')}` : t('live.no_heart'), status };
}

function receiverLine({ gpsd, position, indoor }) {
  if (indoor) return { text: `${t('live.gps')}: ${t('live.indoors')}`, status: 'none' };
  const lead = `${t('live.gps')}: `;
  if (!gpsd || gpsd.link === 'disconnected') return { text: lead + t('live.no_fix'), status: 'bad' };
  if (gpsd.device === 'simulated' && gpsd.link === 'connecting') return { text: lead + t('live.tunnel'), status: 'warn' };
  if (!position) return { text: lead + t('live.no_fix'), status: 'warn' };
  if (position.stale) return { text: lead + t('live.old_fix', { age: age(position.age_ms / 1000) }), status: 'warn' };
  const parts = [];
  if (position.satellites !== undefined) parts.push(t('live.satellites', { count: position.satellites }));
  if (position.accuracy_m !== undefined) parts.push(`±${height(position.accuracy_m)}`);
  return { text: lead + parts.join(' '), status: 'good' };
}

function batteryLine({ power }) {
  if (power?.battery_percent === undefined) return null;
  const isLow = power.battery_percent <= 15 && !power.charging;
  return { text: t('live.battery', { percent: power.battery_percent }), status: isLow ? 'bad' : 'good' };
}

/** A list whose rows are made once for each number of lines. */
export class Lines {
  constructor(node, makeRow) {
    Object.assign(this, { node, makeRow, rows: [] });
  }

  render(lines) {
    while (this.rows.length > lines.length) this.rows.pop().node.remove();
    while (this.rows.length < lines.length) {
      const row = this.makeRow();
      this.rows.push(row);
      this.node.append(row.node);
    }
    lines.forEach((line, index) => this.rows[index].fill(line));
    show(this.node, lines.length > 0);
  }
}

export function infoRow() {
  const [title, text] = [element('dt'), element('dd')];
  return { node: element('div', {}, title, text), fill: ([name, words]) => {
    setText(title, t(`live.${name}`));
    setText(text, words);
  } };
}

export function linkRow() {
  const node = element('li');
  return { node, fill: ({ text, status }) => {
    node.dataset.status = status;
    setText(node, text);
  } };
}

export function faultRow() {
  const node = element('li');
  return { node, fill: (text) => setText(node, text) };
}
