// The uploads of an activity by paced-link, for as long as one of them is on its way and the page is seen.

import { rpc } from './api.js';

const PAUSE = 3000;
/** States that change without the user. */
const UNDERWAY = ['waiting', 'sending', 'processing'];

export class UploadWatch {
  /**
   * Asks at once, and again. `activity`: a uuid. `onUploads(uploads)` is called after each answer, with an
   * empty list if nothing is known. `isWanted()`: whether somebody still needs them.
   */
  constructor(activity, onUploads, isWanted) {
    Object.assign(this, { activity, onUploads, isWanted });
    this.uploads = null;
    /** Counts questions and uploads: an answer to a question from before an upload is old. */
    this.count = 0;
    this.look = () => this.ask();
    document.addEventListener('visibilitychange', this.look);
    this.ask();
  }

  isDue() {
    return this.uploads === null || this.uploads.some(({ state }) => UNDERWAY.includes(state));
  }

  async ask() {
    clearTimeout(this.timer);
    if (!this.isWanted()) {
      document.removeEventListener('visibilitychange', this.look);
      return;
    }
    if (document.visibilityState !== 'visible' || !this.isDue()) return;
    this.count += 1;
    const own = this.count;
    let answer = null;
    try {
      answer = await rpc('link.uploads', { activity: this.activity });
    } catch {
      // Without paced-link there is nothing to show. What is shown already stays, and the next answer may come.
    }
    this.take(own === this.count && answer ? answer.uploads : this.uploads ?? []);
  }

  /** Uploads the activity to a service. Throws the error. */
  async upload(to) {
    const { uploads } = await rpc('link.upload', { activities: [this.activity], to });
    this.count += 1;
    this.take(this.uploads.map((one) => uploads.find((newer) => newer.to === one.to) ?? one));
  }

  take(uploads) {
    this.uploads = uploads;
    this.onUploads(uploads);
    clearTimeout(this.timer);
    if (this.isDue()) this.timer = setTimeout(() => this.ask(), PAUSE);
  }
}
