// The time of a field of date and time, which is that of the browser's zone, as a time with its zone and back.

const twoDigits = (value) => String(value).padStart(2, '0');

/** The text of a field for a time of the protocol, to the second: 2026-05-01T08:00:00. */
export function fieldTime(time) {
  const at = new Date(time);
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits).join('-');
  return `${day}T${[at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':')}`;
}

/** The text of a field with its zone at that time: 2026-05-01T08:00:00+02:00. A field leaves out seconds that are 0. */
export function zonedTime(text) {
  const minutes = -new Date(text).getTimezoneOffset();
  const zone = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map(twoDigits).join(':');
  const whole = text.length === 16 ? `${text}:00` : text.slice(0, 19);
  return `${whole}${minutes < 0 ? '-' : '+'}${zone}`;
}
