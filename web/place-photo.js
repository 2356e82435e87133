// The picture of a place that is on the board beside the places.

import { getFile } from './api.js';
import { element, show } from './dom.js';
import { t } from './i18n.js';
import { Latest } from './outside.js';

/** `node` is hidden while there is no picture. */
export class PlacePhoto {
  constructor() {
    this.node = element('img', { class: 'photo', hidden: true });
    this.requests = new Latest();
    this.name = undefined;
  }

  /** `name`: of the file, which need not be there; undefined for none. `place`: what it shows. */
  async show(name, place) {
    this.node.alt = t('places.photo', { place });
    if (name === this.name) return;
    this.name = name;
    show(this.node, false);
    URL.revokeObjectURL(this.node.src);
    try {
      const file = name && await this.requests.run(() => getFile('/api/places/photo', { name }));
      if (!file || name !== this.name) return;
      this.node.src = URL.createObjectURL(file.blob);
      show(this.node, true);
    } catch {
      // The extract names a file that nobody has put there.
    }
  }
}
