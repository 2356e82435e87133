// Fields of other programs' sensors, and of second sensors. The settings call them own:NAME.

import { hasText, t } from './i18n.js';
import { sports } from './tables.js';

const PREFIX = 'own:';
/** What is known of each, by its name without the prefix. */
const declared = new Map();

export const isOwn = (name) => name.startsWith(PREFIX);
export const ownName = (name) => name.slice(PREFIX.length);
export const ownField = (name) => PREFIX + name;

/** Takes a list of the board: the block `own_fields`, or the fields of an activity. Returns whether it says more. */
export function declare(list) {
  let hasNews = false;
  for (const { name, title, unit = '', decimals = 0, icon = 'gauge' } of list ?? []) {
    const before = declared.get(name);
    if (before?.title === title && before.unit === unit && before.decimals === decimals) continue;
    declared.set(name, { title, unit, decimals, icon });
    hasNews = true;
  }
  return hasNews;
}

/** In the form of a data field, see fields.js. */
export function ownFormat(name) {
  const { unit = '', decimals = 0, icon } = declared.get(name) ?? {};
  return { format: 'own', source: 'sensor', unit, decimals, icon, sports };
}

/** The title in the user's language where it is known; else that of the program, or the words of the name. */
export function ownTitle(name, title = declared.get(name)?.title) {
  return knownTitle(name) ?? secondTitle(name, title) ?? title ?? name.replaceAll('_', ' ');
}

const knownTitle = (name) => (hasText(`own.${name}`) ? t(`own.${name}`) : null);

/** Power 2 (Rear Wheel) of power_2; null for a field that is called otherwise. */
function secondTitle(name, title) {
  const [, first, number] = /^(.+)_(\d+)$/.exec(name) ?? [];
  const [, owner] = new RegExp(` ${number}( \\(.*\\))?$`).exec(title ?? ` ${number}`) ?? [null, null];
  if (!first || owner === null) return null;
  const known = knownTitle(first) ?? (hasText(`field.${first}`) ? t(`field.${first}`) : null);
  return known && `${known} ${number}${owner ?? ''}`;
}
