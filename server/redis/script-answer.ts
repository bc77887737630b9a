/** The least and the most that a number of an answer may be. */
export type NumberBounds = readonly [min: number, max: number];

/**
 * The whole numbers that a script has answered: as many as there are bounds, each within its own.
 * @throws Error for an answer of any other shape, as a proxy or another program than Redis may give: nothing of it is believed.
 */
export function readNumbers(answer: unknown, bounds: readonly NumberBounds[]): number[] {
  const numbers = readList(answer, bounds.length);
  const isOurs = bounds.every(([min, max], index) => isWhole(numbers[index], min, max));
  if (!isOurs) throw strange();
  return numbers as number[];
}

/** A list of this length. @throws as `readNumbers`. */
export function readList(answer: unknown, length: number): readonly unknown[] {
  if (!Array.isArray(answer) || answer.length !== length) throw strange();
  return answer;
}

/** A list of texts. @throws as `readNumbers`. */
export function readTexts(answer: unknown): readonly string[] {
  if (!Array.isArray(answer) || answer.some((text) => typeof text !== 'string')) throw strange();
  return answer;
}

function isWhole(number: unknown, min: number, max: number): boolean {
  return Number.isSafeInteger(number) && Number(number) >= min && Number(number) <= max;
}

function strange(): Error {
  return new Error('Redis answers a script in a shape that it does not have.');
}
