interface ViewerCache {
  modify(change: { id: string; fields: { viewer: () => null } }): boolean;
}

/** Tells the page that the session is over; the session gate sees it and leads to sign-in and back. */
export function forgetViewer(cache: ViewerCache): void {
  cache.modify({ id: 'ROOT_QUERY', fields: { viewer: () => null } });
}
