// The page as an app: the worker that keeps its files and last answers, and how it is installed.

import { element, setText, show } from './dom.js';
import { currentLanguage, t } from './i18n.js';

const manifests = { en: '/app.webmanifest', de: '/app.de.webmanifest' };

/** What the browser offers once, and who waits for it. */
let offer = null;
let whenOffered = () => {};
/** How the page is installed, or why it is not. */
const how = element('p', { class: 'soft', hidden: true });

addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault();
  offer = event;
  whenOffered();
});

/** Lets a worker keep what was loaded. Only a page that is signed in does so. */
export async function keepApp() {
  if (!('serviceWorker' in navigator)) return;
  try {
    await navigator.serviceWorker.register('/service-worker.js', { updateViaCache: 'none' });
  } catch {
    // A browser that keeps nothing, or a certificate that it does not trust: the page works without.
    setText(how, t(location.protocol === 'https:' ? 'app.untrusted' : 'app.refused'));
    show(how, true);
  }
}

/** Deletes all that is kept, and the worker. */
export async function forgetApp() {
  try {
    const registration = await navigator.serviceWorker?.getRegistration();
    await registration?.unregister();
    for (const name of await globalThis.caches?.keys() ?? []) await caches.delete(name);
  } catch {
    // Storage is off.
  }
}

/** For the panel of the display: the button that installs the page, or how it is done here. */
export function installRow() {
  document.querySelector('link[rel="manifest"]')?.setAttribute('href', manifests[currentLanguage()]);
  const button = element('button', { type: 'button', hidden: offer === null, onclick: () => {
    show(button, false);
    offer.prompt();
  } }, t('app.install'));
  whenOffered = () => show(button, true);
  const text = howToInstall();
  if (text) setText(how, text);
  show(how, Boolean(text));
  return [button, how];
}

/** How it is installed where the browser has no offer, or why it is not; null for nothing to say. */
function howToInstall() {
  if (navigator.standalone || matchMedia('(display-mode: standalone)').matches) return null;
  if (!isSecureContext) return t('app.insecure');
  // Safari of iOS has no offer.
  return 'standalone' in navigator ? t('app.ios') : null;
}
