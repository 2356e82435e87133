// Sound and vibration of what happens in a run. Which ones is a matter of the browser.

import { element, show } from './dom.js';
import { t } from './i18n.js';
import { keep, kept } from './store.js';

const KEY = 'paced.signals';
const WAYS = ['sound', 'vibration'];

/** By kind: the events, the tones as [hertz, seconds], and the vibration in milliseconds. */
const kinds = {
  laps: { events: ['lap'], tones: [[880, 0.15], [1320, 0.25]], vibration: [200, 100, 200] },
  turns: { events: ['cue', 'course', 'climb'], tones: [[1000, 0.1], [0, 0.06], [1000, 0.1]],
    vibration: [100, 80, 100] },
  alerts: { events: ['alert', 'workout', 'light', 'notice'], tones: [[660, 0.2], [440, 0.3]],
    vibration: [400] },
  badges: { events: ['badge'], tones: [[660, 0.12], [880, 0.12], [1100, 0.12], [1320, 0.3]],
    vibration: [80, 60, 80, 60, 300] },
};
/** Loud, but not the loudest that a loudspeaker can. */
const LEVEL = 0.4;

/** What the browser keeps: the ways that are on and the kinds that are off, as words. Silent at first. */
const words = () => (kept(KEY) ?? '').split(' ').filter(Boolean);

/** The signals of the page. */
export class Signals {
  /** `say(text)` tells the user. */
  constructor(say) {
    this.say = say;
    this.audio = null;
    for (const name of ['pointerdown', 'keydown']) document.addEventListener(name, () => this.begin());
    this.begin();
  }

  has(word) {
    return words().includes(word);
  }

  /** Browsers are silent until somebody has touched the page. */
  async begin() {
    if (!this.has('sound')) return;
    if (navigator.userActivation?.hasBeenActive === false) return this.tell();
    this.audio ??= new AudioContext();
    if (this.audio.state === 'suspended') await this.audio.resume();
  }

  tell() {
    if (!this.hasTold) this.say(t('signals.silent'));
    this.hasTold = true;
  }

  /** Sounds and vibrates for an event. */
  play(event) {
    const kind = Object.keys(kinds).find((one) => kinds[one].events.includes(event));
    if (kind && !this.has(`no-${kind}`)) this.signal(kinds[kind]);
  }

  signal({ tones, vibration }) {
    if (this.has('vibration')) navigator.vibrate?.(vibration);
    if (!this.has('sound') || this.audio?.state !== 'running') return;
    let at = this.audio.currentTime;
    for (const [pitch, length] of tones) {
      if (pitch > 0) this.tone(pitch, at, length);
      at += length;
    }
  }

  /** A tone with soft ends: without them it clicks. */
  tone(pitch, from, length) {
    const [source, level] = [this.audio.createOscillator(), this.audio.createGain()];
    source.type = 'triangle';
    source.frequency.value = pitch;
    level.gain.setValueAtTime(0, from);
    level.gain.linearRampToValueAtTime(LEVEL, from + 0.01);
    level.gain.setValueAtTime(LEVEL, from + length - 0.02);
    level.gain.linearRampToValueAtTime(0, from + length);
    source.connect(level).connect(this.audio.destination);
    source.start(from);
    source.stop(from + length);
  }

  /** The choice, for the panel of the display. */
  choice() {
    const toggle = (word, isOn) => {
      keep(KEY, [...words().filter((one) => one !== word), ...isOn ? [word] : []].join(' ') || null);
      show(list, WAYS.some((way) => this.has(way)));
      return this.begin();
    };
    const check = (text, isOn, onChange) => element('label', { class: 'check' },
      element('input', { type: 'checkbox', checked: isOn, onchange: (event) => onChange(event.target.checked) }),
      element('span', {}, text));
    const ways = WAYS.filter((way) => way === 'sound' || 'vibrate' in navigator).map((way) =>
      check(t(`signals.${way}`), this.has(way), async (isOn) => {
        await toggle(way, isOn);
        if (isOn) this.signal(kinds.laps);
      }));
    const list = element('div', {}, Object.keys(kinds).map((kind) =>
      check(t(`signals.${kind}`), !this.has(`no-${kind}`), async (isOn) => {
        await toggle(`no-${kind}`, !isOn);
        if (isOn) this.signal(kinds[kind]);
      })), element('p', { class: 'soft' }, t('signals.silent')));
    show(list, WAYS.some((way) => this.has(way)));
    return element('fieldset', { class: 'signals' }, element('legend', {}, t('signals.title')), ways, list);
  }
}
