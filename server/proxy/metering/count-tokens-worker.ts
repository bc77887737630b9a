import { parentPort } from 'node:worker_threads';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { assertInvariant } from '../../kernel/assert.js';
import type { CountReply, CountRequest } from './token-counter.js';

/*
 * The thread that counts tokens. A tokenizer's time grows with the square of a run that has no break, so a text is counted in
 * pieces: half a second at the very worst for one message, and at most one token in each piece too many.
 */

const pieceCharacters = 1_024;
// What would steer a model, such as <|endoftext|>, is here a text like any other.
const plainText = { disallowedSpecial: new Set<string>() };

assertInvariant(parentPort !== null, 'tokens are counted in a worker thread');
const port = parentPort;
port.on('message', (texts: CountRequest) => port.postMessage(texts.map(countPieces) satisfies CountReply));

function countPieces(text: string): number {
  let tokens = 0;
  for (let start = 0; start < text.length; start += pieceCharacters) {
    tokens += countTokens(text.slice(start, start + pieceCharacters), plainText);
  }
  return tokens;
}
