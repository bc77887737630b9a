import type { HttpExchange } from '../http-exchange.js';
import { ParsedJson } from '../json-object.js';
import { readAnswerBody } from './read-answer-body.js';

const bounds = {
  providerId: 'acme',
  bytesMax: 1024 * 1024,
  limits: { valuesMax: 100_000, levelsMax: 4 },
  signal: null,
};

/** Reads an answer that comes in pieces of a few kilobytes. */
const read = (text: string) => {
  const bytes = Buffer.from(text);
  let at = 0;
  const next = () => {
    const piece = bytes.subarray(at, at + 5_000);
    at += piece.length;
    return piece.length === 0 ? null : piece;
  };
  return readAnswerBody({ read: next } as unknown as HttpExchange, next(), bounds);
};

const listOf = (count: number) => `{"list":[${'{"word":"größer"},'.repeat(count)}[[[[1]]]]]}`;
const folded = ['[[1]]'];

describe('A plain answer', () => {
  it('is left as text while it is short, without a byte order mark, and with what lies too deep as text', async () => {
    expect(await read('{"a":1}')).toBe('{"a":1}');
    expect(await read('\uFEFF{"a":1}')).toBe('{"a":1}');
    expect(await read('{"list":[[[[1]]]]}')).toBe('{"list":[[["[1]"]]]}');
  });

  it('is parsed in steps where it is long, and is the same', async () => {
    for (const text of [listOf(20_000), `\uFEFF \n${listOf(20_000)}`]) {
      const body = await read(text);
      expect(body).toBeInstanceOf(ParsedJson);
      const { list } = (body as ParsedJson).value as { list: unknown[] };
      expect(list).toHaveLength(20_001);
      expect([list[0], list[19_999], list.at(-1)]).toEqual([{ word: 'größer' }, { word: 'größer' }, [folded]]);
    }
  });

  it('is no JSON where it is cut, however long', async () => {
    expect(await read(listOf(20_000).slice(0, -1))).toEqual(new ParsedJson(undefined));
  });

  it('is refused with more values than it may have', async () => {
    await expect(read(`{"list":[${'1,'.repeat(100_000)}1]}`)).rejects.toMatchObject({ code: 'provider_error' });
  });
});
