import type { CountRequest, TokenCounter } from './token-counter.js';

/** Of a longer text so many pieces are counted, one in each of as many equal parts. */
const samplePieces = 16;
const pieceCharacters = 256;
/** What is counted of texts when all of them are too much, in characters. */
export const sampleCharacters = samplePieces * pieceCharacters;

/**
 * How many tokens the texts of each group have, in the order of the groups. All are counted where the tokenizer has the time. Else
 * a sample of each group is, and stands for the rest of it; and where nobody counts at all, the sample is taken by its characters,
 * which is right but for a factor of 2.5 at the worst. Waits twice as long as the tokenizer lets anybody wait. Never throws.
 */
export async function countOrSample(
  groups: readonly CountRequest[],
  counter: Pick<TokenCounter, 'count'>,
): Promise<number[]> {
  const counts = await counter.count(groups.flat());
  if (counts !== null) return sumGroups(groups, counts);
  const samples = groups.map(takeSample);
  const counted = sumGroups(samples, (await counter.count(samples.flat())) ?? samples.flat().map(guessTokens));
  return groups.map((texts, index) => {
    const sampled = sumLengths(samples[index] ?? []);
    return sampled === 0 ? 0 : Math.ceil(((counted[index] ?? 0) * sumLengths(texts)) / sampled);
  });
}

/**
 * Pieces of texts that stand for all of them; the texts themselves where they are short. Where in its part each piece begins is
 * left to chance, so that nobody can write a text that is cheap just there.
 */
function takeSample(texts: CountRequest): CountRequest {
  const partCharacters = sumLengths(texts) / samplePieces;
  if (partCharacters <= pieceCharacters) return texts;
  const pieces: string[] = [];
  let [text, textStart] = [0, 0];
  for (let part = 0; part < samplePieces; part += 1) {
    let start = Math.floor(part * partCharacters + Math.random() * (partCharacters - pieceCharacters));
    const end = start + pieceCharacters;
    while (start < end && text < texts.length) {
      const piece = (texts[text] ?? '').slice(start - textStart, end - textStart);
      if (piece !== '') pieces.push(piece);
      start += piece.length;
      if (start < end) {
        textStart += (texts[text] ?? '').length;
        text += 1;
      }
    }
  }
  return pieces;
}

/**
 * About how many tokens a text has that is not empty, by what today's tokenizers make of each script on average: English and code four characters
 * a token, Cyrillic and Arabic three, Chinese one or two, a run of spaces 128. A dense text such as base64 has twice as many.
 */
function guessTokens(text: string): number {
  let tokens = 0;
  let before = -1;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit <= 0x20 && unit === before) tokens += 1 / 128;
    else if (unit < 0x80) tokens += 1 / 4;
    else if (unit < 0x900) tokens += 0.37;
    else if (unit < 0xe00) tokens += 0.3;
    else tokens += 0.7;
    before = unit;
  }
  return Math.max(1, tokens);
}

function sumGroups(groups: readonly CountRequest[], counts: readonly number[]): number[] {
  let next = 0;
  return groups.map((texts) => {
    const first = next;
    next += texts.length;
    return counts.slice(first, next).reduce((sum, count) => sum + count, 0);
  });
}

function sumLengths(texts: CountRequest): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}
