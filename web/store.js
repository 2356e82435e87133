// Values that the browser keeps. Where storage is off they last as long as the page.

const held = new Map();

/** The kept text, or null. */
export function kept(key) {
  if (held.has(key)) return held.get(key);
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Keeps a text; null removes it. */
export function keep(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
    held.delete(key);
  } catch {
    held.set(key, value);
  }
}
