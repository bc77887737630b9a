/** Longer heads have no meaning, and a pattern over them could take its time. */
const headCharactersMax = 1_024;

/** Takes a `data:` address in base64 apart, without a walk over the data; null when it is none. */
export function findBase64(url: string): { readonly mediaType: string; readonly data: string } | null {
  const head = url.slice(0, headCharactersMax);
  const [whole, mediaType] = /^data:([^;,]+)(?:;[^;,]+)*;base64,/i.exec(head) ?? [];
  return whole === undefined || mediaType === undefined ? null : { mediaType, data: url.slice(whole.length) };
}
