// Runs before the first paint: a theme that comes later would flash.
(() => {
  const themes = ['sunlight', 'dark', 'e-ink'];
  let theme = null;
  try {
    theme = localStorage.getItem('paced.theme');
    if (theme === 'sun') theme = localStorage.getItem('paced.theme.sun');
  } catch {
    // Storage is off: the default holds.
  }
  if (!themes.includes(theme)) theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'sunlight';
  document.documentElement.dataset.theme = theme;
})();
