const backslash = 0x5c;

/** @returns where the quote stands that ends the text whose quote stands at `start`; -1: the text has no end. */
export function findTextEnd(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (json.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}
