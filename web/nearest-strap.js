// The button in the field of the heart rate that connects the nearest strap, as RunFree's.

import { rpc } from './api.js';
import { t } from './i18n.js';
import { inOrder } from './saving.js';

/** A strap that is worn by who holds the board is heard as loud as this, in dBm. */
const NEAR = -55;
/** A search has parts, so that a strap is taken as soon as it is heard. */
const PARTS = 5;
const SECONDS = 2;
/** Screens whose fields are lower than a button. */
const small = matchMedia('(max-width: 300px) and (max-height: 400px)');

/** `onChange()` is called when the button changes. */
export class NearestStrap {
  constructor(session, onChange) {
    Object.assign(this, { session, onChange, isSearching: false, isWanted: false });
  }

  /** The button: only while no strap is known, and never in a run, where it would be pressed by accident. */
  offer(state, { sensors = [] }) {
    const { link, reason, address } = state?.heart ?? {};
    this.isWanted = state?.run === 'idle' && link === 'disconnected' && ['searching', 'ambiguous'].includes(reason)
      && address === undefined && sensors.length === 0 && this.session.canCommand && !this.session.liveOnly;
    if (!this.isWanted || small.matches) return null;
    return { text: t(this.isSearching ? 'live.strap_searching' : 'live.strap_nearest'), isBusy: this.isSearching,
      press: () => this.connect() };
  }

  async connect() {
    if (this.isSearching) return;
    this.setSearching(true);
    this.session.clearFailure();
    await this.session.attempt(async () => {
      const strap = await this.find();
      // Meanwhile paced has found one, or a run has begun.
      if (!strap || !this.isWanted) return;
      await inOrder(() => rpc('sensor.use', { sensor: strap.address, address_type: strap.address_type }));
      this.session.notice(t('live.strap_used', { name: strap.name ?? strap.address }));
    });
    this.setSearching(false);
  }

  setSearching(isSearching) {
    this.isSearching = isSearching;
    this.onChange();
  }

  /** The nearest strap; throws a sentence if none is near. */
  async find() {
    let heard = null;
    for (let part = 0; part < PARTS && this.isWanted; part += 1) {
      const found = await rpc('sensor.scan', { seconds: SECONDS });
      const straps = found.filter(({ kinds, rssi_dbm: level }) => kinds.includes('heart-rate') && level !== undefined);
      const [nearest] = straps.sort((one, other) => other.rssi_dbm - one.rssi_dbm);
      if (nearest?.rssi_dbm >= NEAR) return nearest;
      heard = nearest ?? heard;
    }
    if (!this.isWanted) return null;
    throw new Error(heard ? t('live.strap_far', { name: heard.name ?? heard.address, level: heard.rssi_dbm })
      : t('live.strap_none'));
  }
}
