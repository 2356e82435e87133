// The cards of an activity that need no track: figures, zones, bests, sensors, weather and the totals of a file.

import { element } from './dom.js';
import { distance, duration, height, pace, percent, rate, speed, temperature } from './format.js';
import { figureText, figureTitle, turns } from './figure-words.js';
import { averageOf, bar, bestName, bestValue, card, table, valueList, whole } from './history.js';
import { clock, date, hasText, number, t } from './i18n.js';
import { ownField } from './own-fields.js';

// Figures

const rateOf = (secondsPerMetre, sport) => (secondsPerMetre > 0 ? rate(secondsPerMetre, sport) : null);
const metres = (value) => (Number.isFinite(value) ? height(value) : null);

export function leadFigures({ sport, ...total }) {
  return [
    [t('field.distance'), distance(total.distance_m)], [t('field.time'), duration(total.elapsed_ms)],
    [t(sport === 'ride' ? 'field.average_speed' : 'field.average_pace'), averageOf(total, sport)],
    [t('field.average_heart_rate'), whole(total.average_bpm, 'bpm')],
    [t('field.ascent'), metres(total.ascent_m)],
  ];
}

function otherFigures({ sport, ...total }) {
  const paused = total.total_ms - total.elapsed_ms;
  const isRide = sport === 'ride';
  const stood = total.elapsed_ms - (total.moving_ms ?? total.elapsed_ms) >= 1000;
  return [
    [t('field.moving_time'), stood ? duration(total.moving_ms) : null],
    [t('activity.paused'), paused >= 1000 ? duration(paused) : null],
    [t(isRide ? 'field.average_moving_speed' : 'field.average_moving_pace'),
      stood ? rateOf(total.average_moving_pace_s_per_m, sport) : null],
    [t('field.average_grade_adjusted_pace'),
      total.average_grade_adjusted_pace_s_per_m ? pace(total.average_grade_adjusted_pace_s_per_m) : null],
    [t(isRide ? 'field.max_speed' : 'field.max_pace'),
      total.max_speed_mps > 0 ? rate(1 / total.max_speed_mps, sport) : null],
    [t('field.max_heart_rate'), whole(total.max_bpm, 'bpm')],
    [t('field.energy'), whole(total.energy_kcal, 'kcal')],
    [t('field.trimp'), total.trimp === undefined ? null : number(total.trimp)],
    [t('field.average_power'), whole(total.average_power_w, 'W')],
    [t('field.normalized_power'), whole(total.normalized_power_w, 'W')],
    [t('field.max_power'), whole(total.max_power_w, 'W')],
    [t('field.work'), total.work_j === undefined ? null : whole(total.work_j / 1000, 'kJ')],
    [t('field.average_cadence'), turns(total.average_cadence_rpm, sport)],
    [t('field.max_cadence'), turns(total.max_cadence_rpm, sport)],
    [t('field.descent'), metres(total.descent_m)],
    [t('activity.gaps'), total.gaps > 0 ? number(total.gaps) : null],
  ];
}

/** How the ascent was measured, and how well. */
function ascentText({ ascent_source: source, ascent_error_m: error }) {
  if (!source) return null;
  return element('p', { class: 'soft' }, t(`activity.ascent_by.${source}`, { error: metres(error) ?? '--' }));
}

export const figuresCard = (summary) =>
  card(t('activity.more'), valueList(otherFigures(summary)), ascentText(summary));

// Zones and bests

/** Times in zones as bars. `zones`: [name, from, milliseconds, colour]; `unit` is that of `from`. */
function zonesCard(title, unit, zones) {
  const all = zones.reduce((sum, [, , time]) => sum + time, 0);
  if (all === 0) return null;
  const most = Math.max(...zones.map(([, , time]) => time));
  const columns = [[t('field.zone')], ...unit ? [[t('activity.zone_from', { unit }), true]] : [],
    [t('field.time'), true], [t('activity.share'), true], ['']];
  return card(title, element('div', { class: 'zones' }, table(title, columns, zones.map(([name, from, time, colour]) =>
    [name, ...unit ? [from] : [], duration(time), percent(time / all * 100, 0), bar(time / most, colour)]))));
}

export function heartZones({ zones, zone_ms: times }) {
  if (!zones || !times) return null;
  return zonesCard(t('activity.zones'), 'bpm', times.map((time, zone) => (zone === 0
    ? [t('live.warm_up'), '', time, '--zone-0']
    : [t('live.zone', { zone }), number(zones[zone - 1]), time, `--zone-${zone}`])));
}

export function powerZones({ power_zone_ms: times }) {
  if (!times) return null;
  return zonesCard(t('activity.power_zones'), null, times.map((time, index) =>
    [t('live.zone', { zone: index + 1 }), '', time, `--zone-${Math.min(index, 5)}`]));
}

/** `onSelect(best)`: the stretch of a best is wanted. */
export function bestsCard(bests, onSelect) {
  if (!bests?.length) return null;
  return card(t('activity.bests'), table(t('activity.bests'), [[t('badges.best')], [t('badges.value'), true],
    [t('badges.from'), true]], bests.map((best) => [
    element('button', { class: 'link', type: 'button', onclick: () => onSelect(best) }, bestName(best)),
    element('strong', {}, bestValue(best)),
    best.from_distance_m === undefined ? duration(best.from_elapsed_ms) : distance(best.from_distance_m)])));
}

export function variabilityCard(hrv) {
  if (!hrv) return null;
  const milliseconds = (value) => (value === undefined ? null : `${number(value, 1)} ms`);
  return card(t('activity.hrv'), valueList([
    [t('activity.mean_rr'), milliseconds(hrv.mean_rr_ms)], ['RMSSD', milliseconds(hrv.rmssd_ms)],
    ['SDNN', milliseconds(hrv.sdnn_ms)], ['pNN50', hrv.pnn50_percent === undefined ? null : percent(hrv.pnn50_percent)],
    ['DFA α1', hrv.dfa_alpha1 === undefined ? null : number(hrv.dfa_alpha1, 2)],
    [t('activity.artifacts'), percent(hrv.artifact_percent)],
  ]));
}

/** The fields of other programs. */
export function ownCard(fields) {
  if (fields.length === 0) return null;
  return card(t('activity.own'), table(t('activity.own'), [[t('activity.own_field')], [t('activity.own_average'), true],
    [t('activity.own_least'), true], [t('activity.own_most'), true]], fields.map((field) => {
    const key = ownField(field.name);
    return [figureTitle(key), ...['average', 'minimum', 'maximum'].map((one) => figureText(key, field[one]) ?? '–')];
  })));
}

// What it was recorded with, and in

/** `losses`: of track.js, null without a track. */
export function sensorsCard(sensors, losses) {
  if (!sensors?.length && !losses?.length) return null;
  return card(t('activity.sensors'), element('ul', { class: 'lines' }, (sensors ?? []).map((sensor) => {
    const maker = [sensor.manufacturer, sensor.model].filter(Boolean).join(' ');
    const name = sensor.name ?? (maker || t('activity.sensor'));
    const { battery_percent: charge } = sensor;
    const battery = charge === undefined ? null : t('activity.battery', { percent: charge });
    return element('li', {}, element('strong', {}, name), element('div', { class: 'soft' },
      [sensor.kinds.map(kindName).join(', '), name === maker ? null : maker, battery].filter(Boolean).join(' · ')));
  })), losses?.length ? element('p', { class: 'losses' }, lossText(losses)) : null);
}

/** What was lost for how long, as sentences. */
function lossText(losses) {
  const lost = losses.filter(({ parts }) => parts.length > 0);
  const complete = losses.filter(({ parts }) => parts.length === 0);
  const names = complete.map(({ key }) => t(`losses.${key}`)).join(', ');
  return [...lost.map(({ key, seconds, parts }) => t('losses.lost', { what: t(`losses.${key}`),
    time: duration(Math.round(seconds) * 1000), count: parts.length })),
  names && t('losses.none', { names })].filter(Boolean).join(' ');
}

const kindName = (kind) => (hasText(`activity.kind.${kind}`) ? t(`activity.kind.${kind}`) : kind);

export function weatherCard(weather) {
  if (!weather) return null;
  const wind = weather.wind_speed_mps;
  return card(t('activity.weather'), valueList([
    [t('field.temperature'), weather.temperature_c === undefined ? null : temperature(weather.temperature_c)],
    [t('live.wind'), wind === undefined ? null : wind > 0 ? speed(wind) : t('live.calm')],
    [t('activity.wind_from'), windFrom(weather)],
    [t('activity.gusts'), weather.wind_gust_mps === undefined ? null : speed(weather.wind_gust_mps)],
    [t('field.humidity'), whole(weather.humidity_percent, '%')],
    [t('field.pressure'), whole(weather.pressure_hpa, 'hPa')],
    [t('activity.weather_codes'), weather.codes?.join(' ')],
  ]), element('p', { class: 'soft' }, t('activity.station', { station: weather.station,
    distance: distance(weather.distance_m), time: observed(weather.observed_at) })));
}

function windFrom({ wind_variable: isVariable, wind_from_deg: degrees }) {
  if (isVariable) return t('live.wind_variable');
  return degrees === undefined ? null : `${number(degrees)}°`;
}

const observed = (time) => (Number.isNaN(Date.parse(time)) ? time : `${date(time)}, ${clock(time)}`);

export function sourceCard(source) {
  if (!source) return null;
  const values = [
    [t('field.distance'), source.distance_m === undefined ? null : distance(source.distance_m)],
    [t('field.time'), source.elapsed_ms === undefined ? null : duration(source.elapsed_ms)],
    [t('activity.with_pauses'), source.total_ms === undefined ? null : duration(source.total_ms)],
    [t('field.ascent'), metres(source.ascent_m)], [t('field.average_heart_rate'), whole(source.average_bpm, 'bpm')],
    [t('field.max_heart_rate'), whole(source.max_bpm, 'bpm')],
    [t('field.average_power'), whole(source.average_power_w, 'W')],
    [t('field.max_power'), whole(source.max_power_w, 'W')],
    [t('field.normalized_power'), whole(source.normalized_power_w, 'W')],
    [t('field.energy'), whole(source.energy_kcal, 'kcal')],
  ];
  return card(t('activity.source'), source.creator ? element('p', {}, source.creator) : null,
    element('div', { class: 'small' }, valueList(values)));
}

