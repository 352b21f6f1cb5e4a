// Light or dark: by the fragment of the address (#theme=dark), the system, the button and the key t.
const wanted = new URLSearchParams(location.hash.slice(1));
document.documentElement.dataset.theme =
  wanted.get('theme') || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
$('theme').addEventListener('click', () => {
  const root = document.documentElement;
  root.dataset.theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
});
const isTyping = (e) => e.target instanceof HTMLInputElement;
document.addEventListener('keydown', (e) => {
  if (e.key === 't' && !isTyping(e) && !e.ctrlKey && !e.metaKey && !e.altKey) $('theme').click();
});
