// Keeps the screen on during a run, where the browser allows it.

import { t } from './i18n.js';

/** Why the screen may turn off, or that it stays on. */
export function wakeText() {
  if ('wakeLock' in navigator) return t('live.wake_on');
  return t(isSecureContext ? 'live.wake_off' : 'live.wake_insecure');
}

export class WakeLock {
  constructor() {
    this.lock = null;
    this.isWanted = false;
    // The browser releases it whenever the page is hidden.
    document.addEventListener('visibilitychange', () => this.update());
  }

  want(isWanted) {
    if (this.isWanted === isWanted) return;
    this.isWanted = isWanted;
    this.update();
  }

  async update() {
    if (!('wakeLock' in navigator) || this.isBusy) return;
    this.isBusy = true;
    try {
      const isNeeded = this.isWanted && document.visibilityState === 'visible';
      if (isNeeded && (!this.lock || this.lock.released)) this.lock = await navigator.wakeLock.request('screen');
      else if (!isNeeded && this.lock) {
        await this.lock.release();
        this.lock = null;
      }
    } catch {
      this.lock = null;
    } finally {
      this.isBusy = false;
    }
  }
}
