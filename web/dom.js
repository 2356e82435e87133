// Elements from data. Text is always set as text.

/**
 * An element: element('button', { class: 'main', onclick: start }, 'Start').
 * `class` and names with a hyphen are attributes, `on…` are listeners, `dataset` is merged, others are properties.
 * Children that are null, undefined or false are left out.
 */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) setProperty(made, name, value);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

function setProperty(made, name, value) {
  if (value === null || value === undefined) return;
  if (name === 'class') made.className = value;
  else if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
  else if (name === 'dataset') Object.assign(made.dataset, value);
  else if (name.includes('-') || name === 'role' || name === 'for') made.setAttribute(name, value);
  else made[name] = value;
}

const SVG = 'http://www.w3.org/2000/svg';

/** An element of SVG with attributes. */
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Sets the text of a node, only if it differs. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Shows or hides an element. */
export function show(node, isShown) {
  if (node.hidden === isShown) node.hidden = !isShown;
}

/** A modal dialog, removed when it closes. Resolves to the `value` of the button that closed it, '' by Escape. */
export function ask(title, text, buttons) {
  return new Promise((resolve) => {
    const heading = element('h2', { id: 'ask-title' }, title);
    const dialog = element('dialog', { class: 'ask', 'aria-labelledby': 'ask-title' }, heading,
      text ? element('p', {}, text) : null,
      element('div', { class: 'buttons' }, buttons.map(({ value, label, kind, autofocus }) =>
        element('button', { class: kind ?? '', type: 'button', autofocus: Boolean(autofocus), value,
          onclick: () => dialog.close(value) }, label))));
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Hands a blob to the user as a file. */
export function download(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = element('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
