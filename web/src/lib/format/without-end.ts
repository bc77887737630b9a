/**
 * A text without a character that it ends with, however often; takes time in proportion to its length, which `/0+$/` does not for
 * zeros that stand elsewhere.
 */
export function withoutEnd(text: string, character: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === character) end -= 1;
  return text.slice(0, end);
}
