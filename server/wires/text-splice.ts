/** What stands in a piece of JSON around one text. */
export interface TextSplice {
  readonly before: string;
  readonly after: string;
}

/** Nobody writes it: what a caller or a provider sent may stand in the JSON as well. */
const probe = 'probe 7c1e9a04';
const writtenProbe = JSON.stringify(probe);

/**
 * Cuts JSON around a text, so that the same JSON with another text is `before`, the text as JSON and `after`.
 * @param write Writes the JSON with the given text in it.
 * @returns null when the text stands in it more than once, or not at all.
 */
export function findTextSplice(write: (text: string) => string): TextSplice | null {
  const [before, after, ...more] = write(probe).split(writtenProbe);
  return before === undefined || after === undefined || more.length > 0 ? null : { before, after };
}
