import { deflateRawSync, inflateRawSync } from 'node:zlib';

const storedCharactersMax = 65_000;
// Packing more than this would hold up everybody else.
const packedCharactersMax = 1_000_000;

/** Packs an answer so that it fits its column; null: it is too large to keep. */
export function packAnswer(answer: string): string | null {
  if (answer.length > packedCharactersMax) return null;
  const packed = deflateRawSync(answer).toString('base64');
  return packed.length > storedCharactersMax ? null : packed;
}

/** The answer as it was before `packAnswer`. */
export function unpackAnswer(packed: string): string {
  return inflateRawSync(Buffer.from(packed, 'base64')).toString('utf8');
}
