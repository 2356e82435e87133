// Language, locale, units and clock.

import { keep, kept } from './store.js';

export const languages = { en: 'English', de: 'Deutsch' };

const LANGUAGE = 'paced.language';
let texts = {};
let language = 'en';
let locale = 'en';
let plural = new Intl.PluralRules('en');
let settings = {};
const formats = new Map();
/** See boardForms(); made when the first one is asked for. */
let forms = null;
/** What each figure asks for, several times a second: the decimal separator, and whether the user is in miles. */
let point = null;
let isAmerican = null;

/** Loads the texts of the user's language; to be awaited before the first t(). */
export async function loadTexts() {
  const wanted = navigator.languages ?? [navigator.language];
  const chosen = kept(LANGUAGE);
  language = languages[chosen] ? chosen : wanted.map((tag) => tag.slice(0, 2)).find((tag) => languages[tag]) ?? 'en';
  locale = wanted.find((tag) => tag.slice(0, 2) === language) ?? language;
  plural = new Intl.PluralRules(locale);
  formats.clear();
  point = null;
  forms = null;
  texts = (await import(`./texts/${language}.js`)).default;
  document.documentElement.lang = language;
}

/** Keeps the language of the next page; null follows the browser. */
export function keepLanguage(chosen) {
  keep(LANGUAGE, chosen);
}

export const currentLanguage = () => language;

/** Whether the language has this text. */
export const hasText = (key) => key in texts;

/** A text with {names} replaced. With a value `count`, the text of key.one, key.other and so on if there is one. */
export function t(key, values = {}) {
  const form = values.count === undefined ? key : `${key}.${plural.select(Number(values.count))}`;
  const text = texts[form] ?? texts[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? values[name] : whole));
}

/** A sentence of the board in the user's language, by its template; null if the language has none. */
function sentenceText({ sentence, values = [] }) {
  return texts[`= ${sentence}`]?.replace(/\{(\d+)\}/g, (place, number) => values[number - 1] ?? place) ?? null;
}

/** The board's sentences that the language has, as [form, template], those with the most words first. */
function boardForms() {
  const templates = Object.keys(texts).filter((key) => key.startsWith('= ')).map((key) => key.slice(2));
  const words = (template) => template.replace(/\{\d+\}/g, '').length;
  return templates.sort((one, other) => words(other) - words(one)).map((template) => {
    const parts = template.split(/\{\d+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return [new RegExp(`^${parts.join('(.*?)')}$`), template];
  });
}

/** What the board says without a template, such as a reason, in the user's language; null if the language has none. */
export function boardText(text) {
  forms ??= boardForms();
  for (const [form, sentence] of forms) {
    const found = form.exec(text ?? '');
    if (found) return sentenceText({ sentence, values: found.slice(1).map((value) => boardText(value) ?? value) });
  }
  // A file, or a place in it, can stand in front.
  const rest = /: (.+)/.exec(text ?? '')?.[1];
  return rest ? boardText(rest) : null;
}

/** What an error means for the user. */
export function errorText(error) {
  const said = sentenceText(error.data ?? {}) ?? boardText(error.message);
  if (said) return said;
  const key = `error.${error.code}`;
  // A failure of pacectl has its sentence; a bare status says nothing.
  const isSentence = error.code === 'failed' && /\D/.test(error.message ?? '');
  if (hasText(key) && !isSentence) return t(key);
  return error.message || t('error.failed');
}

/** Takes the settings of the daemon: units and clock follow them. */
export function useSettings(newer) {
  settings = newer ?? {};
}

/** Kilometres instead of miles: the setting, else miles in the United States. */
export function isMetric() {
  if (settings.metric !== undefined && settings.metric !== null) return settings.metric;
  isAmerican ??= /-US\b/.test(navigator.languages?.[0] ?? navigator.language ?? '');
  return !isAmerican;
}

function formatter(kind, options) {
  const key = kind.name + JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new kind(locale, options));
  return formats.get(key);
}

/** The decimal separator of the locale. */
export function separator() {
  point ??= formatter(Intl.NumberFormat, {}).formatToParts(1.5).find((part) => part.type === 'decimal').value;
  return point;
}

/** A number with groups of digits, and so many decimals. */
export function number(value, decimals = 0) {
  const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return formatter(Intl.NumberFormat, options).format(value);
}

/** A date such as 1 Mar 2026. `time`: a text of the protocol, or a Date. */
export function date(time, options = { dateStyle: 'medium' }) {
  return formatter(Intl.DateTimeFormat, options).format(new Date(time));
}

/** Minutes from now in words, such as "in 5 minutes". */
export function relative(value, unit) {
  return formatter(Intl.RelativeTimeFormat, { numeric: 'auto' }).format(value, unit);
}

/** The local time of day as [figures, am or pm]: by the setting twelve_hour_clock. */
export function clockParts(time) {
  const at = new Date(time);
  const minute = String(at.getMinutes()).padStart(2, '0');
  if (!settings.twelve_hour_clock) return [`${at.getHours()}:${minute}`, ''];
  return [`${(at.getHours() + 11) % 12 + 1}:${minute}`, at.getHours() < 12 ? 'am' : 'pm'];
}

/** The local time of day, such as 15:07 or 3:07 pm. */
export function clock(time) {
  return clockParts(time).filter(Boolean).join(' ');
}
