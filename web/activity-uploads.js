// Where paced-link uploads an activity: a line for each service, with its state, a link and a button.

import { element, setText, show } from './dom.js';
import { age } from './format.js';
import { card } from './history.js';
import { boardText, t } from './i18n.js';
import { outerLink } from './outside.js';
import { UploadWatch } from './upload-watch.js';

/** States in which the user can ask for an upload. */
const ASKABLE = ['none', 'refused', 'unknown'];
const COLOURS = { done: 'good', refused: 'bad', unknown: 'warn' };

/** The line of a service. `onPress` is that of its button, null for a browser that may only watch. */
class UploadLine {
  constructor(to, onPress) {
    this.to = to;
    this.state = element('span', {});
    this.reason = element('span', { class: 'reason' });
    // A reader is not told again and again how long it waits.
    this.next = element('p', { class: 'soft figures' });
    this.link = element('span', {});
    this.button = onPress && element('button', { type: 'button', onclick: onPress,
      'aria-label': t('activity.upload_to', { to }) }, t('activity.upload'));
    const words = element('p', { role: 'status' }, element('b', {}, `${to}:`), ' ', this.state, ' ', this.reason);
    this.node = element('li', {}, element('div', { class: 'words' }, words, this.next), this.link, this.button);
  }

  render({ state, reason = '', next_try_ms: milliseconds, url }) {
    setText(this.state, t(`activity.upload.${state}`));
    this.state.className = COLOURS[state] ?? '';
    setText(this.reason, boardText(reason) ?? reason);
    const isLater = state === 'waiting' && milliseconds >= 1000;
    setText(this.next, isLater ? t('activity.upload_next', { time: age(milliseconds / 1000) }) : '');
    this.renderLink(url);
    // A service that has paused goes on when somebody asks.
    const isPaused = state === 'waiting' && reason !== '' && milliseconds === undefined;
    if (this.button) show(this.button, ASKABLE.includes(state) || isPaused);
  }

  renderLink(url) {
    if (url === this.url) return;
    this.url = url;
    const link = outerLink(url, t('activity.upload_open'));
    link?.classList.add('button');
    link?.setAttribute('aria-label', t('activity.upload_open_at', { to: this.to }));
    this.link.replaceChildren(...link ? [link] : []);
  }
}

/** Shows the uploads of an activity, by its uuid, in `place` while that is in the page; nothing without services. */
export function showUploads(session, activity, place) {
  const list = element('ul', { class: 'list' });
  const all = card(t('activity.uploads'), list);
  all.classList.add('uploads');
  const heading = all.querySelector('h2');
  heading.tabIndex = -1;
  let lines = [];
  const press = (to) => session.attempt(() => watch.upload(to));
  const watch = new UploadWatch(activity, (uploads) => {
    const isOther = uploads.map(({ to }) => to).join(' ') !== lines.map(({ to }) => to).join(' ');
    if (isOther) {
      lines = uploads.map(({ to }) => new UploadLine(to, session.scope === 'control' ? () => press(to) : null));
    }
    const focused = lines.find(({ button }) => button && button === document.activeElement);
    lines.forEach((line, index) => line.render(uploads[index]));
    // A button that is gone takes the place of the keyboard with it.
    if (focused?.button.hidden) heading.focus({ preventScroll: true });
    if (!isOther) return;
    list.replaceChildren(...lines.map(({ node }) => node));
    place.replaceChildren(...lines.length > 0 ? [all] : []);
  }, () => place.isConnected);
}
