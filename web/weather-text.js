// The weather in words, and what is dangerous in it. The rules are those of docs/behaviour.md, "The weather for users".

import { compass, decimal, height, METRES_PER_FOOT, METRES_PER_MILE, speedUnit, temperature } from './format.js';
import { currentLanguage, hasText, isMetric, t } from './i18n.js';
import { capital, far, minutes, moment } from './outside.js';

const HECTOPASCALS_PER_INCH = 33.8639;
const LIFETIME = 2 * 3_600_000;
/** A clock that is more wrong makes ages unknown. */
const CLOCK_ERROR = 600_000;
const SHORT_VISIBILITY = 5000;

// Figures

/** Whole kilometres or miles an hour, without the unit. */
const speedFigures = (mps) => decimal(mps * 3600 / (isMetric() ? 1000 : METRES_PER_MILE), 0) ?? '--';

export const windSpeed = (mps) => `${speedFigures(mps)} ${speedUnit()}`;

export function pressure(hectopascals) {
  return isMetric() ? `${decimal(hectopascals, 0)} hPa` : `${decimal(hectopascals / HECTOPASCALS_PER_INCH, 2)} inHg`;
}

export function visibility({ visibility_m: metres, visibility_bound: bound }) {
  if (metres === undefined) return null;
  const key = { at_least: 'weather.or_more', less_than: 'weather.less_than' }[bound];
  return key ? t(key, { distance: far(metres) }) : far(metres);
}

function cloudBase(metres) {
  const step = isMetric() ? 10 : 100 * METRES_PER_FOOT;
  return height(Math.round(metres / step) * step);
}

// Phenomena

/** Such as "light showers of rain"; the code of the report if its meaning is unknown. */
export function phenomenonText({ code, intensity, vicinity, descriptors = [], phenomena = [] }) {
  const isKnown = phenomena.every((kind) => hasText(`weather.kind.${kind}`)) && descriptors.every(isDescriptor);
  if (!isKnown || phenomena.length + descriptors.length === 0) return code;
  const isThunderstorm = descriptors.includes('TS');
  const own = descriptors.filter((descriptor) => descriptor !== 'TS');
  let text = own.length + phenomena.length === 0 ? null : withIntensity(intensity, own, phenomena);
  if (isThunderstorm) text = text ? t('weather.thunderstorm_with', { text }) : withIntensity(intensity, ['TS'], []);
  if (vicinity) text = t('weather.in_vicinity', { text });
  return code?.startsWith('RE') ? t('weather.recent', { text }) : text;
}

const isDescriptor = (descriptor) => descriptor === 'TS' || hasText(`weather.descriptor.${descriptor}`);

function withIntensity(intensity, descriptors, kinds) {
  const name = descriptors.join('') + kinds.join('');
  if (intensity === 'heavy' && name === 'FC') return t('weather.tornado');
  const text = hasText(`weather.kind.${name}`) ? t(`weather.kind.${name}`) : composed(descriptors, kinds);
  if (!intensity) return text;
  const forms = new Map(t('weather.forms').split(' ').map((pair) => pair.split(':')));
  return t(`weather.${intensity}.${forms.get(name) ?? forms.get(kinds[0]) ?? 'm'}`, { text });
}

function composed(descriptors, kinds) {
  const names = kinds.map((kind) => t(`weather.kind.${kind}`));
  const list = new Intl.ListFormat(currentLanguage()).format(names);
  return descriptors.reduceRight((text, descriptor) => t(`weather.descriptor.${descriptor}`, { text }), list);
}

const COVERS = ['VV', 'OVC', 'BKN', 'SCT', 'FEW', 'NSC', 'NCD', 'CLR', 'SKC'];

/** The part of the sky that clouds cover, such as "cloudy"; null if it is unknown. */
export function sky({ clouds = [] }) {
  const cover = COVERS.find((one) => clouds.some((layer) => layer.cover === one));
  return cover ? t(`weather.sky.${cover}`) : null;
}

/** The layers with their heights; null if no height is known. */
export function cloudLayers({ clouds = [] }) {
  const layers = clouds.filter((layer) => layer.base_m !== undefined || layer.type);
  if (layers.length === 0) return null;
  return capital(layers.map(layerText).join(', '));
}

function layerText({ cover, base_m: base, type }) {
  const key = `weather.cover.${cover}`;
  const way = cover === 'VV' ? 'weather.up_to' : 'weather.at_height';
  const at = base === undefined ? null : t(way, { height: cloudBase(base) });
  const kind = type ? t(`weather.cloud.${type}`) : null;
  if (!hasText(key)) return [kind, at].filter(Boolean).join(' ');
  return [t(key), at, kind && `(${kind})`].filter(Boolean).join(' ');
}

export const weatherWords = ({ weather }) => (weather ?? []).map(phenomenonText).join(', ');

/** The weather, else the sky, and a short visibility; '' if nothing is known. */
export function outlook(conditions) {
  const isShort = conditions.visibility_m < SHORT_VISIBILITY;
  return [weatherWords(conditions) || sky(conditions),
    isShort ? t('weather.sight', { distance: visibility(conditions) }) : null].filter(Boolean).join(', ');
}

/** The wind in a few words; '' if it is unknown. */
export function windWords(conditions) {
  const { wind_speed_mps: speed, wind_from_deg: from, wind_gust_mps: gust, wind_variable: isVariable } = conditions;
  if (speed === undefined) return '';
  if (speed === 0 && gust === undefined) return t('weather.calm');
  const direction = isVariable ? t('weather.variable') : from === undefined ? null : compass(from);
  const gusts = gust === undefined ? '' : `, ${t('weather.gusts', { speed: speedFigures(gust) })}`;
  return [direction, windSpeed(speed)].filter(Boolean).join(' ') + gusts;
}

// Time

/** The age of an observation in milliseconds; null if a clock is wrong, or not set. */
export function ageOf(time, now) {
  if (now === null || Date.parse(time) - now > CLOCK_ERROR) return null;
  return Math.max(now - Date.parse(time), 0);
}

export const isOld = (time, now) => ageOf(time, now) > LIFETIME;

export function ageText(time, now, published) {
  const age = ageOf(time, now);
  if (age !== null) return t('weather.age', { age: minutes(age) });
  return published === null ? t('weather.age_unknown') : t('weather.age_at_least', { age: minutes(published) });
}

/** What an overlay changes beside its period; '' if nothing that is shown. */
export function overlayText(overlay, period) {
  const texts = [];
  const weather = outlook(overlay);
  if (weather && weather !== outlook(period)) texts.push(weather);
  const wind = windWords(overlay);
  if (wind && wind !== windWords(period)) texts.push(wind);
  return texts.join(', ');
}

/** Such as "30 %, at times". */
export function manner({ kind, probability_percent: probability }) {
  const chance = probability === undefined ? null : `${decimal(probability, 0)} %`;
  if (kind === 'becoming') return t('weather.becoming');
  if (kind === 'temporary') return [chance, t('weather.at_times')].filter(Boolean).join(', ');
  return chance ?? t('weather.perhaps');
}

const FALLING = ['DZ', 'RA', 'SN', 'SG', 'PL', 'GR', 'GS', 'IC', 'UP'];

/** Whether anything falls from the sky at the station. */
const isWet = ({ weather = [] }) => weather.some(({ code, vicinity, descriptors = [], phenomena = [] }) =>
  !vicinity && !code?.startsWith('RE')
    && (descriptors.includes('SH') || phenomena.some((kind) => FALLING.includes(kind))));

/** How a forecast has what falls at a time, such as "30 %, at times"; '' if that prevails. */
export function wetManner(periods, time) {
  const isAt = ({ from, to }) => Date.parse(from) <= time && time < Date.parse(to);
  const period = periods.find(isAt);
  const overlay = period && !isWet(period) ? periods.flatMap(({ overlays = [] }) => overlays)
    .find((one) => isAt(one) && isWet(one)) : null;
  return overlay ? manner(overlay) : '';
}

// Warnings

const STRONG_WIND = 17;
const FOG = 1000;
const HEAT = 32;
const COLD = -10;
/** The hours that warnings look ahead, the present one included. */
const HOURS = 6;

const HEAVY = ['DZ', 'RA', 'SN', 'SG', 'PL', 'UP'];
const DANGERS = { FC: 'funnel', SQ: 'squalls', GR: 'hail', GS: 'hail', SS: 'sand', DS: 'sand', VA: 'sand' };

function dangersOf({ code, intensity, vicinity, descriptors = [], phenomena = [] }) {
  if (code?.startsWith('RE')) return [];
  const dangers = [];
  if (descriptors.includes('TS')) dangers.push('thunderstorm');
  if (descriptors.includes('FZ')) dangers.push('ice');
  const isPart = vicinity || descriptors.some((descriptor) => ['MI', 'BC', 'PR'].includes(descriptor));
  for (const kind of phenomena) {
    if (DANGERS[kind]) dangers.push(DANGERS[kind]);
    if (kind === 'FG' && !isPart) dangers.push('sight');
    if (intensity === 'heavy' && HEAVY.includes(kind)) dangers.push('heavy');
  }
  return dangers;
}

/** Pairs of dangers and their text. */
function findings(conditions) {
  const found = (conditions.weather ?? []).map((one) => [dangersOf(one), phenomenonText(one)]);
  const { wind_gust_mps: gust, wind_speed_mps: speed, visibility_m: metres, visibility_bound: bound } = conditions;
  if (gust > STRONG_WIND) found.push([['wind'], t('weather.gusts_of', { speed: windSpeed(gust) })]);
  else if (speed > STRONG_WIND) found.push([['wind'], t('weather.wind_of', { speed: windSpeed(speed) })]);
  if (metres < FOG && bound !== 'at_least') {
    found.push([['sight'], t('weather.sight', { distance: visibility(conditions) })]);
  }
  return found.filter(([dangers]) => dangers.length > 0);
}

function felt({ feels_like_c: celsius }) {
  if (celsius > HEAT) return [[['heat'], t('weather.heat', { temperature: temperature(celsius) })]];
  return celsius < COLD ? [[['cold'], t('weather.cold', { temperature: temperature(celsius) })]] : [];
}

/** One line for each danger that is observed, else for its first time in the forecast of the next hours. */
export function warnings(figures, now, isStale) {
  const warned = new Set();
  const lines = [];
  const warn = (found, when) => {
    for (const [dangers, text] of found) {
      if (dangers.every((danger) => warned.has(danger))) continue;
      dangers.forEach((danger) => warned.add(danger));
      lines.push(`${capital(text)}: ${when}`);
    }
  };
  const isBefore = isStale || isOld(figures.observed_at, now);
  warn([...findings(figures), ...felt(figures)],
    t(isBefore ? 'weather.observed_before' : 'weather.observed', { station: figures.station }));
  if (figures.forecast && now !== null) warnAhead(figures.forecast, now, warn);
  return lines;
}

function warnAhead(forecast, now, warn) {
  const end = new Date(now).setMinutes(0, 0, 0) + HOURS * 3_600_000;
  const isAhead = ({ from, to }) => Date.parse(from) < end && Date.parse(to) > now;
  const { station } = forecast;
  const since = (from) => (Date.parse(from) > now ? t('weather.from', { time: moment(from, now) }) : t('weather.now'));
  for (const period of forecast.periods.filter(isAhead)) {
    warn(findings(period), `${t('weather.forecast_word')} ${since(period.from)} (${station})`);
    for (const overlay of (period.overlays ?? []).filter(isAhead)) {
      const how = overlay.kind === 'becoming' ? t('weather.forecast_word') : `${manner(overlay)},`;
      warn(findings(overlay), `${how} ${since(overlay.from)} (${station})`);
    }
  }
}
