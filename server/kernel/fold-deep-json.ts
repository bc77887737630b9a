import { JsonGauge, type JsonLimits } from './json-gauge.js';
import { findTextEnd } from './texts/json-text-end.js';

const quote = 0x22;
const pieceCharacters = 64 * 1024;
// Neither its nesting, which is what recursion can bear, nor what is in it can matter.
const harmlessCharacters = 2_048;

/**
 * Writes each list and object that lies deeper than so many levels as the text that it is: `[[[1]]]` with one level becomes
 * `["[[1]]"]`. So whatever walks over the parsed value may do so level by level, and nothing that was written is lost. Takes one
 * pass. What is no JSON is still none afterwards, or becomes a text inside of it.
 */
export function foldDeepJson(text: string, levelsMax: number): string {
  let folded = '';
  let copiedTo = 0;
  let foldFrom = 0;
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = findTextEnd(text, at);
      if (at < 0) break;
    }
    // [ and {, ] and }: the same but for one bit.
    else if (code === 0x5b || code === 0x7b) {
      level += 1;
      if (level === levelsMax + 1) foldFrom = at;
    } else if (code === 0x5d || code === 0x7d) {
      if (level === levelsMax + 1) {
        folded += text.slice(copiedTo, foldFrom) + JSON.stringify(text.slice(foldFrom, at + 1));
        copiedTo = at + 1;
      }
      level -= 1;
    }
  }
  return folded + text.slice(copiedTo);
}

/** The text with what is nested too deep as text, see `foldDeepJson`; null: it has more values than allowed. */
export function foldWithin(text: string, limits: JsonLimits): string | null {
  if (text.length <= harmlessCharacters) return text;
  const gauge = new JsonGauge(limits);
  for (let start = 0; start < text.length; start += pieceCharacters) {
    gauge.push(Buffer.from(text.slice(start, start + pieceCharacters)));
    if (gauge.values > limits.valuesMax) return null;
  }
  return gauge.excess === null ? text : foldDeepJson(text, limits.levelsMax);
}
