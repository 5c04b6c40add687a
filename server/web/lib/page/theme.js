// Light or dark: the visitor's choice if there is one, else the system's; and the colour of the table that the visitor has chosen.
// It runs before anything is drawn, so it is not a module. Also the choice of a language, which keeps the page's address with its fragment.

(() => {
  const root = document.documentElement;
  let chosen = null;
  try {
    chosen = localStorage.getItem('kibitz.theme');
    root.dataset.table = localStorage.getItem('kibitz.table') ?? '';
  } catch { /* Storage is blocked: the system decides. */ }
  if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : system.matches);
  addEventListener('DOMContentLoaded', () => {
    for (const link of document.querySelectorAll('a[data-language]')) {
      link.addEventListener('click', (event) => {
        event.preventDefault();
        const tag = link.getAttribute('data-language');
        document.cookie = `kibitz-language=${tag}; path=/; max-age=31536000; samesite=lax`;
        location.reload();
      });
    }
    const button = document.querySelector('button.theme');
    if (!(button instanceof HTMLButtonElement)) return;
    button.hidden = false;
    button.addEventListener('click', () => {
      root.dataset.theme = isDark() ? 'light' : 'dark';
      try {
        localStorage.setItem('kibitz.theme', root.dataset.theme);
      } catch { /* Storage is blocked: the choice lasts as long as the page. */ }
    });
  });
})();
