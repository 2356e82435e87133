// One stop of the Tab key for many buttons; arrow keys move between them.

/**
 * `nodes()`: the buttons in their order. `next(list, at, key)`: the one that a key leads to, from that with a number.
 * Returns the function that makes a button the stop.
 */
export function rove(container, nodes, next) {
  const settle = (chosen) => nodes().forEach((node) => { node.tabIndex = node === chosen ? 0 : -1; });
  container.addEventListener('focusin', ({ target }) => nodes().includes(target) && settle(target));
  container.addEventListener('keydown', (event) => {
    const list = nodes();
    const at = list.indexOf(event.target);
    if (at < 0) return;
    const steps = { Home: list[0], End: list.at(-1) };
    const found = steps[event.key] ?? next(list, at, event.key);
    if (!found) return;
    event.preventDefault();
    found.focus();
  });
  return settle;
}
