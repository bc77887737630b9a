declare global {
  /** Where the scroll lock below Mantine's dialogs looks for the nonce of its style element. */
  var __webpack_nonce__: string | undefined;
}

/** The nonce that the server put into this page; style elements made at run time must carry it. Empty without a server. */
export function pageNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}

/** Tells the libraries that make style elements of their own which nonce to use. Call before the first render. */
export function announcePageNonce(): void {
  globalThis.__webpack_nonce__ = pageNonce();
}
