// Light or dark, as chosen here before; else as the system says. It runs before anything is drawn, so it is no module.

(() => {
  const root = document.documentElement;
  let chosen = null;
  try {
    chosen = localStorage.getItem('kibitz.theme');
  } catch { /* Without storage the system decides. */ }
  if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : system.matches);
  addEventListener('DOMContentLoaded', () => {
    const button = document.querySelector('button.theme');
    button.hidden = false;
    button.addEventListener('click', () => {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      try {
        localStorage.setItem('kibitz.theme', root.dataset.theme);
      } catch { /* It lasts as long as the page then. */ }
    });
  });
})();
