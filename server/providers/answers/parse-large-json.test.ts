import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { ParsedJson } from '../json-object.js';
import { parseLargeJson } from './parse-large-json.js';

const parseInGroups = async (text: string, groupCharacters: number) => {
  const parsed = await parseLargeJson(text, groupCharacters);
  if (typeof parsed === 'string') throw new Error('It is too short to be parsed in groups.');
  return parsed.value;
};
const parseAtOnce = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
const groups = [1, 2, 7, 40];
/** Pads with blanks behind, so that it is always long enough. */
const pad = (text: string) => text + ' '.repeat(100);

describe('A long JSON text', () => {
  it('is parsed as at once, whatever lists and objects it is made of, and in whatever groups', async () => {
    const value = fc.oneof(
      fc.array(fc.jsonValue({ maxDepth: 6 }), { maxLength: 20 }),
      fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue({ maxDepth: 6 })),
    );
    const spaces = fc.constantFrom(0, 1, 3);
    await fc.assert(
      fc.asyncProperty(value, spaces, async (written, indent) => {
        const text = pad(JSON.stringify(written, null, indent));
        for (const group of groups) {
          const parsed = await parseInGroups(text, group);
          expect(JSON.stringify(parsed)).toBe(JSON.stringify(parseAtOnce(text)));
          expect(parsed).toEqual(parseAtOnce(text));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is refused where it would be refused at once, and nowhere else, however it is broken', async () => {
    const signs = fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
      '"',
      '\\',
      ' ',
      '1',
      '-',
      'null',
      '\n',
      '\u00a0',
      '{}',
      '[]',
    );
    const value = fc.array(fc.jsonValue({ maxDepth: 5 }), { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(value, fc.nat(), fc.nat(3), signs, async (written, place, removed, sign) => {
        const text = JSON.stringify(written);
        const at = place % (text.length + 1);
        const broken = pad(text.slice(0, at) + sign + text.slice(at + removed));
        const atOnce = parseAtOnce(broken);
        for (const group of groups) {
          const parsed = await parseInGroups(broken, group);
          expect([broken, group, parsed]).toEqual([
            broken,
            group,
            typeof atOnce === 'object' ? (atOnce ?? undefined) : undefined,
          ]);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['[1,2,]'],
    ['[,1]'],
    ['[1,,2]'],
    ['{"a":1,}'],
    ['{"a":[1,2]"b":1}'],
    ['{"a":-[1,2,3,4]}'],
    ['{[1,2,3]}'],
    ['[1,2}'],
    ['{"a":1]'],
    ['[1][2]'],
    ['[[1,2][3,4]]'],
    ['[1,2'],
    ['["a'],
    ['1,2'],
    [']'],
    ['x[1,2]'],
    ['[1,2]x'],
    ['\u00a0[1,2]'],
    ['[\u00a01,2]'],
  ])('is none where it is none: %s', async (text) => {
    for (const group of groups) expect(await parseInGroups(pad(text), group)).toBeUndefined();
  });

  it('is parsed in steps, between which others have their turn', async () => {
    const text = `{"logprobs":{"content":[${'{"token":" a","logprob":-0.1,"bytes":[32,97]},'.repeat(60_000)}0]}}`;
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns += 1) await nextTurn();
    })();
    const parsed = await parseLargeJson(text);
    isOver = true;
    await others;
    expect(turns).toBeGreaterThan(3);
    expect(parsed).toBeInstanceOf(ParsedJson);
    expect((parsed as ParsedJson).value).toEqual(JSON.parse(text));
  });

  it('that is short is left for whoever reads it', () => {
    expect(parseLargeJson('{"a":1}')).toBe('{"a":1}');
  });
});
