/**
 * The page to go to after signing in: the given path when it lies on this site, else the overview. Keeps a link such as
 * `/sign-in?next=//evil.example` from leading elsewhere.
 *
 * @param path Path with query, as taken from the address bar; may be anything.
 */
export function safeReturnPath(path: string | null): string {
  const site = 'http://site.invalid';
  if (path === null || !path.startsWith('/') || !URL.canParse(path, site)) return '/';
  const url = new URL(path, site);
  if (url.origin !== site || /^\/sign-(in|up)\/?$/.test(url.pathname)) return '/';
  // The parsed form may begin with two slashes (`/.//evil.example`), which a browser would read as a host again.
  return url.pathname.startsWith('//') ? '/' : `${url.pathname}${url.search}${url.hash}`;
}
