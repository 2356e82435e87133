// The weather beside the button that starts a run: a drawing, the temperature and the wind.

import { element, setText, show } from './dom.js';
import { compass, temperature } from './format.js';
import { t } from './i18n.js';
import { drawingOf, weatherIcon, windArrow } from './weather-icons.js';
import { windSpeed } from './weather-text.js';

const NIGHTS = ['twilight', 'night', 'polar-night'];
const narrow = matchMedia('(max-width: 359px)');

/** A link to the weather, beside the button `start` of a row of commands, or at the end of `page` if it is narrow. */
export class WeatherNow {
  constructor(row, start, page) {
    this.drawing = element('span', {});
    this.degrees = element('b', { class: 'figures' });
    this.wind = element('span', { class: 'wind' });
    this.node = element('a', { class: 'weather-now', href: '/weather.html', hidden: true },
      element('span', { class: 'unseen' }, t('nav.weather')), this.drawing, this.degrees, this.wind);
    const place = () => {
      if (narrow.matches) page.append(this.node);
      else if (start) start.before(this.node);
      else row.append(this.node);
    };
    place();
    narrow.addEventListener('change', place);
    this.topic = null;
  }

  /** Takes a line DATA of the topic; null for none. */
  take(line) {
    this.topic = line?.data?.station === undefined ? null : line;
  }

  /** It is there before a run, while an observation is valid. */
  update(state) {
    const data = this.topic?.stale ? null : this.topic?.data;
    const celsius = data?.temperature_here_c ?? data?.temperature_c;
    show(this.node, state?.run === 'idle' && data != null && (celsius !== undefined || Boolean(data.weather)));
    if (this.node.hidden) return;
    const drawing = drawingOf(data, NIGHTS.includes(state.blocks?.sun?.state));
    const { wind_speed_mps: speed, wind_from_deg: from } = data;
    setText(this.degrees, celsius === undefined ? '' : temperature(celsius));
    const key = [drawing, from, speed].join();
    if (key !== this.shown) {
      this.drawing.replaceChildren(...drawing ? [weatherIcon(drawing)] : []);
      this.wind.replaceChildren(...speed > 0 && from !== undefined ? [windArrow(from), element('span',
        { class: 'unseen' }, t('weather.wind_from', { from: compass(from) }))] : [], this.speed = element('span'));
    }
    this.shown = key;
    setText(this.speed, speed === undefined ? '' : windSpeed(speed));
  }
}
