// Runs before the first paint, so that a dark page never flashes white, and so that whoever was signed in here last time sees the
// frame of the page before any other script has arrived. Mantine keeps the scheme, `known-visitor.ts` the other, under these keys.
(() => {
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      // Storage may be forbidden; then the system's scheme decides, and the frame comes with the page.
      return null;
    }
  };
  const root = document.documentElement;
  const scheme = read('mantine-color-scheme-value');
  const isDark = scheme === 'dark' || (scheme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.setAttribute('data-mantine-color-scheme', isDark ? 'dark' : 'light');
  // Where nothing is kept, the server's mark stands, by the cookie.
  const kept = read('tollgate.signed-in-here');
  if (kept !== null) root.toggleAttribute('data-known-visitor', kept === 'yes');
})();
