// The commands of the run: start, pause, resume, lap, mark, and stop by holding the button.

import { rpc } from './api.js';
import { ask, element, setText, show, svg } from './dom.js';
import { distance, duration } from './format.js';
import { t } from './i18n.js';
import { MarkButton } from './mark-button.js';
import { isKiosk, labelled, select } from './page.js';
import { setSetting } from './saving.js';
import { sports } from './tables.js';

const HOLD = 1500;
const RING = 2 * Math.PI * 20;

/**
 * Calls `onHeld` once a button was held for 1.5 s, by pointer or by Enter or Space; a ring fills meanwhile. Calls
 * `onTap` if it was let go before.
 */
export class HoldButton {
  constructor(label, hint, onHeld, onTap) {
    this.onHeld = onHeld;
    this.onTap = onTap;
    this.ring = svg('circle', { cx: 24, cy: 24, r: 20, 'stroke-dasharray': RING, 'stroke-dashoffset': RING });
    const drawing = svg('svg', { viewBox: '0 0 48 48', class: 'ring', 'aria-hidden': 'true' },
      svg('circle', { class: 'way', cx: 24, cy: 24, r: 20 }), this.ring,
      svg('rect', { x: 17, y: 17, width: 14, height: 14 }));
    this.hint = hint;
    this.node = element('button', { class: 'hold', type: 'button', 'aria-label': `${label}: ${hint}`, title: hint },
      drawing, element('span', {}, label));
    this.listen();
  }

  listen() {
    const on = (name, call) => this.node.addEventListener(name, call);
    on('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.node.setPointerCapture(event.pointerId);
      this.begin();
    });
    on('pointerup', () => this.release());
    for (const name of ['pointercancel', 'blur']) on(name, () => this.end());
    on('contextmenu', (event) => event.preventDefault());
    on('keydown', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      if (!event.repeat) this.begin();
    });
    on('keyup', (event) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      this.release();
    });
    // A screen reader clicks without a pointer and without a key. The question follows in any case.
    on('click', (event) => {
      if (event.detail === 0 && !this.wasPressed) this.onHeld();
      this.wasPressed = false;
    });
  }

  begin() {
    if (this.node.disabled || this.since) return;
    this.wasPressed = true;
    this.since = performance.now();
    this.step();
  }

  step() {
    if (!this.since) return;
    const part = Math.min((performance.now() - this.since) / HOLD, 1);
    this.draw(part);
    if (part < 1) {
      this.frame = requestAnimationFrame(() => this.step());
      return;
    }
    this.end();
    this.onHeld();
  }

  release() {
    const isShort = Boolean(this.since);
    this.end();
    if (isShort) this.onTap();
  }

  end() {
    cancelAnimationFrame(this.frame);
    this.since = null;
    this.draw(0);
  }

  /** E-ink and readers who want no motion see thirds. */
  draw(part) {
    const isCalm = document.documentElement.dataset.theme === 'e-ink'
      || matchMedia('(prefers-reduced-motion: reduce)').matches;
    const shown = isCalm ? Math.floor(part * 3) / 3 : part;
    this.ring.setAttribute('stroke-dashoffset', String(RING * (1 - shown)));
  }
}

/** The row of commands; `refresh` is called with the state of the run after a command. */
export class Controls {
  constructor(parent, session, refresh) {
    Object.assign(this, { parent, session, refresh });
    this.isBusy = false;
    const why = session.whyNoCommand();
    if (why !== null) {
      parent.append(element('p', { class: 'soft why' }, why));
      return;
    }
    // The choice is that of the board: it stays, and the fields of the sport are shown.
    this.sport = select(sports.map((sport) => [sport, t(`sport.${sport}`)]), session.settings.sport ?? 'run',
      (sport) => session.attempt(() => setSetting('sport', sport)));
    this.indoor = element('input', { type: 'checkbox', id: 'indoor' });
    const button = (name, kind, call) => element('button', { type: 'button', class: `${kind} ${name}`, onclick: call },
      t(`live.${name}`));
    this.start = button('start', 'main', () => this.begin());
    this.endWait = button('end_wait', '', () => this.command('run.stop'));
    this.pause = button('pause', 'main', () => this.command('run.pause'));
    this.resume = button('resume', 'main', () => this.command('run.resume'));
    this.lap = button('make_lap', '', () => this.command('run.lap'));
    this.mark = new MarkButton(t('live.make_mark'), () => this.command('run.mark'), () => this.askMark());
    this.stop = new HoldButton(t('live.stop'), t('live.hold'), () => this.askHowToStop(),
      () => session.notice(t('live.hold_longer')));
    this.choice = element('div', { class: 'choice' }, labelled(t('live.sport'), this.sport),
      element('label', { class: 'check' }, this.indoor, element('span', {}, t('live.indoor'))));
    this.buttons = [this.endWait, this.start, this.resume, this.pause, this.lap, this.mark.node, this.stop.node];
    parent.append(this.choice, ...this.buttons);
    this.update(null, false);
  }

  /** Starts a run. Outdoors without a position, the user may let it start by itself at the next one. */
  async begin() {
    const parameters = { sport: this.sport.value };
    if (this.indoor.checked) parameters.indoor = true;
    const { position, gpsd, waiting } = this.state ?? {};
    const isWithout = !this.indoor.checked && !waiting && gpsd?.reason !== 'off' && (!position || position.stale);
    if (isWithout) {
      const answer = await this.askOnce(t('live.no_position_title'), t('live.no_position_text'), [
        { value: 'wait', label: t('live.wait'), kind: 'main', autofocus: true },
        { value: 'now', label: t('live.start_now') }, { value: '', label: t('live.cancel') }]);
      if (answer === '') return;
      if (answer === 'wait') parameters.wait = 'position';
    }
    await this.command('run.start', parameters);
  }

  /** Shows the buttons of the run's state; all are off while it is not known. */
  update(state, isKnown) {
    if (!this.start) return;
    const run = state?.run ?? null;
    this.state = state;
    this.isKnown = isKnown;
    const isWaiting = state?.waiting === 'position';
    show(this.choice, (run === 'idle' || run === null) && !isWaiting);
    show(this.start, run === 'idle' || run === null);
    setText(this.start, t(isWaiting ? 'live.start_now' : 'live.start'));
    show(this.endWait, isWaiting);
    show(this.pause, run === 'active');
    show(this.lap, run === 'active');
    show(this.resume, run === 'paused');
    for (const node of [this.mark.node, this.stop.node]) show(node, run === 'active' || run === 'paused');
    for (const node of this.buttons) node.disabled = !isKnown || this.isBusy;
    const { sport } = this.session.settings;
    if (sport && this.sport.value !== sport && document.activeElement !== this.sport) this.sport.value = sport;
    this.keepFocus(run);
    const hasChanged = (run === 'idle') !== (this.questionOf === 'idle');
    if (this.question && hasChanged) this.question.close('');
  }

  /** The button that was pressed keeps the focus, or hands it to the one in its place. */
  keepFocus(run) {
    if (!this.wantsFocus || this.isBusy || !this.isKnown) return;
    this.wantsFocus = false;
    const active = document.activeElement;
    if (active !== document.body && !active?.hidden && !active?.disabled) return;
    const next = this.pressed && !this.pressed.hidden ? this.pressed
      : { idle: this.start, active: this.pause, paused: this.resume }[run];
    if (next && !document.querySelector('dialog[open]')) next.focus();
  }

  async command(method, parameters) {
    if (this.isBusy) return undefined;
    this.isBusy = true;
    // In a kiosk keys without focus are commands.
    this.wantsFocus = this.parent.contains(document.activeElement)
      || (document.activeElement === document.body && !isKiosk);
    this.pressed = this.buttons.find((button) => button === document.activeElement);
    this.update(this.state, this.isKnown);
    const result = await this.session.attempt(() => rpc(method, parameters));
    this.isBusy = false;
    this.refresh(method, result);
    return result;
  }

  /** A mark with a kind and a text: of the place where it is sent. */
  async askMark() {
    const made = await this.session.attempt(async () => (await import('./mark-form.js')).askMark());
    if (made) await this.command('run.mark', made);
  }

  async askHowToStop() {
    const text = t(this.state?.run === 'paused' ? 'live.stop_text_paused' : 'live.stop_text');
    const answer = await this.askOnce(t('live.stop_title'), text, [
      { value: 'keep', label: t('live.keep'), kind: 'main', autofocus: true },
      { value: 'discard', label: t('live.discard'), kind: 'danger' }, { value: '', label: t('live.cancel') }]);
    if (answer === 'keep') await this.command('run.stop');
    if (answer === 'discard') await this.askToDiscard();
  }

  async askToDiscard() {
    const values = { distance: distance(this.state?.distance_m ?? 0), time: duration(this.state?.elapsed_ms ?? 0) };
    const answer = await this.askOnce(t('live.discard_title'), t('live.discard_text', values), [
      { value: '', label: t('live.cancel'), autofocus: true },
      { value: 'discard', label: t('live.discard'), kind: 'danger main' }]);
    if (answer === 'discard') await this.command('run.discard');
  }

  /** A question that closes when the run begins or ends by another client. */
  async askOnce(...words) {
    const answer = ask(...words);
    this.questionOf = this.state?.run;
    this.question = document.querySelector('dialog.ask[open]');
    const given = await answer;
    this.question = null;
    return given;
  }
}

/** The card about a run that has just stopped. `canOpen`: whether the page of the activity may be shown. */
export function summaryCard(summary, figures, canOpen, onClose) {
  const close = element('button', { type: 'button', class: 'main', onclick: onClose }, t('live.close'));
  const heading = element('h2', {}, `${t('live.kept')}: ${t(`sport.${summary.sport}`)}`);
  const list = element('dl', { class: 'values' }, figures.map(([title, value]) =>
    element('div', {}, element('dt', {}, title), element('dd', {}, value))));
  const open = canOpen && summary.id
    ? element('a', { class: 'button', href: `/activity.html#${summary.id}` }, t('live.open')) : null;
  const card = element('section', { class: 'card summary', role: 'status', 'aria-label': t('live.kept') },
    heading, list, element('div', { class: 'buttons' }, close, open));
  return card;
}
