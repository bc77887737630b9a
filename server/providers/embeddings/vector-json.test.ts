import { VectorJson, VectorJsonError } from './vector-json.js';

const toBase64 = (numbers: readonly number[]) => Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
const toNumbers = (vector: Buffer | null) =>
  vector && Array.from({ length: vector.length / 4 }, (_, index) => vector.readFloatLE(index * 4));

interface Answer {
  readonly data: readonly { readonly embedding: unknown }[];
  readonly note?: string;
}

function read(text: string | Buffer, { pieceBytes = 1 << 20, numbersMax = 10_000 } = {}) {
  const json = new VectorJson({ numbersMax });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) json.push(bytes.subarray(at, at + pieceBytes));
  const { answer, takeVector, texts } = json.end();
  const { data = [], note } = (answer ?? {}) as Partial<Answer>;
  const taken = data.map(({ embedding }) => takeVector(embedding));
  const written = taken.map((vector) => (vector === null ? undefined : texts.get(vector)));
  return { answer, note, written, vectors: taken.map(toNumbers) };
}

describe('Vectors in JSON', () => {
  const long = Array.from({ length: 400 }, (_, index) => index / 4 - 50);
  const both = JSON.stringify({
    note: 'An "odd" one, [1, 2] \\ é',
    data: [
      { embedding: long },
      { embedding: toBase64(long) },
      { embedding: [-0.5, 1e-3] },
      { embedding: toBase64([7]) },
    ],
  }).replace('[-0.5,', '[ -0.5 ,\n');

  it.each([1, 2, 3, 7, 64, 1_000, 1 << 20])('are the same in whatever pieces they come: %d bytes', (pieceBytes) => {
    const { note, vectors } = read(both, { pieceBytes });
    expect(note).toBe('An "odd" one, [1, 2] \\ é');
    expect(vectors).toEqual([long, long, [-0.5, Math.fround(1e-3)], [7]]);
  });

  it.each([1, 2, 3, 64, 1 << 20])(
    'keep the digits of their lists, in whatever pieces they come: %d bytes',
    (pieceBytes) => {
      expect(read(both, { pieceBytes }).written).toEqual([
        long.join(','),
        undefined,
        ' -0.5 ,\n0.001'.trimStart(),
        undefined,
      ]);
    },
  );

  it('keep no digits of lists that are long', () => {
    const list = `[${'0.123456789,'.repeat(30_000)}0.5]`;
    const { vectors, written } = read(`{"data":[{"embedding":${list}},{"embedding":${list}}]}`, {
      numbersMax: 100_000,
    });
    expect(vectors.map((vector) => vector?.length)).toEqual([30_001, 30_001]);
    expect(written).toEqual([undefined, undefined]);
  });

  it.each([1, 2, 3, 1 << 20])(
    'refuse what JSON does not know as a number, in whatever pieces it comes: %d bytes',
    (pieceBytes) => {
      for (const list of ['1,,2', '1, ,2', '1,]', '0x10', '1,.5', '1,+2', '01', '1,true', '1,{}', '1,"2"', '1,1e999'])
        expect(() => read(`{"data":[{"embedding":[${list}]}]}`, { pieceBytes })).toThrow(VectorJsonError);
    },
  );

  it.each([
    ['a list with something else in it', '{"data":[{"embedding":[1,null]}]}'],
    ['a list with a list in it', '{"data":[{"embedding":[1,[2]]}]}'],
    ['a number that is none', '{"data":[{"embedding":[1,--2]}]}'],
    ['two numbers without a comma', '{"data":[{"embedding":[1 2]}]}'],
    ['a comma too many', '{"data":[{"embedding":[1,]}]}'],
    ['a number beyond 32 bits', '{"data":[{"embedding":[1e39]}]}'],
    ['a number without end', `{"data":[{"embedding":[${'1'.repeat(5_000)}]}]}`],
    ['more numbers than there may be', `{"data":[{"embedding":[${'1,'.repeat(10_000)}1]}]}`],
    ['more numbers in base64', `{"data":[{"embedding":"${toBase64(Array(10_001).fill(1))}"}]}`],
    ['a text without end', `{"note":"${'x'.repeat(2 << 20)}`],
    ['too many values', `{"data":[${'{},'.repeat(60_000)}{}]}`],
    ['too many levels', `{"data":${'[['.repeat(20)}`],
  ])('refuse %s', (_, text) => {
    expect(() => read(text, { pieceBytes: 4_096 })).toThrow(VectorJsonError);
  });

  it.each([
    ['no vector', [null, '', [], {}, true, 'abc', 'AAAA', toBase64([Number.NaN]), toBase64([1 / 0])]],
    ['no base64', ['!'.repeat(2_000)]],
  ])('are not found in %s', (_, values) => {
    const { vectors } = read(JSON.stringify({ data: values.map((embedding) => ({ embedding })) }));
    expect(vectors).toEqual(values.map(() => null));
  });

  it.each([1, 1 << 20])('are the same behind a byte order mark, in pieces of %d bytes', (pieceBytes) => {
    expect(read(`\uFEFF${both}`, { pieceBytes })).toEqual(read(both));
  });

  it('are none in what is no JSON, or breaks off', () => {
    for (let length = 0; length < both.length; length += 1) expect(read(both.slice(0, length)).answer).toBeUndefined();
    expect(read('[1,2]').answer).toBeUndefined();
  });
});
