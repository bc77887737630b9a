import { createHash } from 'node:crypto';

/** SHA-256 of a text in lower-case hexadecimal, as `hashColumn` keeps it: of a token, so that the database alone opens nothing. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
