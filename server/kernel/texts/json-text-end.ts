const backslash = 0x5c;
const quote = 0x22;
/** So near behind an escaped quote the next one is looked for sign by sign: a search begun anew for each costs three times as much. */
const walkCharacters = 8;

/** @returns where the quote stands that ends the text whose quote stands at `start`; -1: the text has no end. */
export function findTextEnd(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at >= 0; at = json.indexOf('"', at)) {
    let escapes = 0;
    while (json.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
    at += 1;
    for (let until = at + walkCharacters; at < until; at += 1) {
      const code = json.charCodeAt(at);
      if (code === quote) return at;
      if (code !== backslash) continue;
      at += 1;
      if (json.charCodeAt(at) === quote) until = at + walkCharacters;
    }
  }
  return -1;
}
