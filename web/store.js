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

// What may not outlive the tab, or the sign-in.

/** The text that is kept for the visit, or null. */
export function keptForVisit(key) {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

export function keepForVisit(key, value) {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // It is full or off: the page asks again.
  }
}

/** Forgets all that is kept for the visit. */
export function endVisit() {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith('paced.')) sessionStorage.removeItem(key);
  } catch {
    // It is off.
  }
}
