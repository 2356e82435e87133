// What the page of places says about a place.

import { element } from './dom.js';
import { hasText, t } from './i18n.js';
import { far, towards } from './outside.js';

/** What it is, in the most telling words. */
export function kindText({ kind, detail: value = '' }) {
  const telling = ['food', 'place', 'station', 'shelter', 'street'].includes(kind) && value && value !== 'yes';
  if (telling && hasText(`places.detail.${value}`)) return t(`places.detail.${value}`);
  return hasText(`places.kind.${kind}`) ? t(`places.kind.${kind}`) : kind;
}

/** Its name, or what it is. */
export const nameText = (place) => place.name ?? kindText(place);

/** How far it is and where: along the course, or from the user. */
export function whereText(place) {
  if (place.ahead_m !== undefined) {
    const side = place.side === 'on_course' ? null : t(`places.side.${place.side}`, { distance: far(place.detour_m) });
    return [t('places.ahead', { distance: far(place.ahead_m) }), side ?? t('places.on_course')].join(', ');
  }
  return place.distance_m === undefined ? '' : towards(place.distance_m, place.bearing_deg);
}

/** Whether it is open now; null if that is not known. */
export function openText({ open }) {
  return open === undefined ? null : t(open ? 'places.open' : 'places.closed');
}

/** Numbers of telephones as links; OpenStreetMap has semicolons between them. */
export function phones(text) {
  return text?.split(';').flatMap((number, index) => [index > 0 ? ', ' : null, phone(number.trim())]);
}

function phone(text) {
  const digits = text.replace(/[^+0-9]/g, '');
  return digits.length > 2 ? element('a', { href: `tel:${digits}` }, text) : text;
}
