import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { type Dialect, made, OddAnswers } from '../../test/odd-answers.js';
import { askOnWires, modelsOfDialects, ToldUpstream } from '../../test/told-upstream.js';

/*
 * Answers in shapes that nobody has documented, of each dialect, plain and streamed. FUZZ_BODIES=100000 tries as many of each;
 * FUZZ_SEED repeats a run.
 */
const answerCount = Number(process.env.FUZZ_BODIES ?? 60);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

// What says something about an answer, or about a part of it, and was made by no model.
const marks = new Set(
  (
    'id object created model usage system_fingerprint service_tier index finish_reason logprobs role type name ' +
    'token_ids tool_call_id annotations native_finish_reason stop_reason'
  ).split(' '),
);

/** All that a caller was given beside marks and what is empty, as JSON. */
function listGiven(value: unknown): string[] {
  if (value === null || value === undefined || value === '' || value === false) return [];
  if (typeof value !== 'object') return [JSON.stringify(value)];
  return Object.entries(value).flatMap(([name, member]) =>
    !Array.isArray(value) && marks.has(name) && typeof member !== 'object' ? [] : listGiven(member),
  );
}

/** A model of each dialect that makes embeddings, and what they are asked for. */
const modelsOfVectors: Readonly<Partial<Record<Dialect, string>>> = {
  openai: 'text-embedding-3-small',
  gemini: 'gemini-embedding-001',
};
const texts = ['Hello once more, and again', 'you'];

interface Receipt {
  readonly outcome: string;
  readonly usage_source: string;
  readonly charged_millicredits: number | string;
  readonly held_millicredits: number | string;
}

describeOnEachDatabase(`Answers in shapes that nobody has documented, seed ${seed}`, (openTestDatabase) => {
  const upstream = ToldUpstream.forAll();
  // Free calls of one account are bounded, and these are many.
  const app = TestApp.forAll(openTestDatabase, () => ({ ...upstream.settings, REQUESTS_PER_MINUTE: '1000000' }));
  const account = app.accountForAll(500);

  /** Asks once, and tells what came of it. */
  async function tryOne(path: string, model: string, body: string, isStreamed: boolean) {
    upstream.reply = { body, isStreamed };
    const question = path === '/embeddings' ? { model, input: texts } : askOnWires[path]?.(model);
    const asked = { ...question, ...(isStreamed ? { stream: true } : {}) };
    const response = await app.call(account.secret, asked, path);
    const text = await response.text();
    if (![200, 502].includes(response.status) || /"(code|type)":"internal_error"/.test(text))
      throw new Error(`${response.status} ${text} for ${body}`);
    const id = response.headers.get('x-generation-id');
    const [receipt] = (await app.query(`SELECT * FROM call_record WHERE call_id = '${id}'`)) as unknown as Receipt[];
    if (receipt === undefined) throw new Error(`no receipt for ${body}`);
    return { status: response.status, text, receipt, charged: Number(receipt.charged_millicredits) };
  }

  /** What is wrong with the bill of one; null: nothing. */
  function findFault(
    { text, receipt, charged }: Awaited<ReturnType<typeof tryOne>>,
    hasUsage: boolean,
    isToldWhole: boolean,
  ) {
    if (charged > Number(receipt.held_millicredits)) return 'is charged above what was held';
    const pieces = text.split('\n').map((line) => line.replace(/^data: /, ''));
    const given = pieces.flatMap((piece) => (/^\{/.test(piece) ? listGiven(withoutOurs(JSON.parse(piece))) : []));
    if (given.join().includes(made) && charged === 0) return 'is free, and gave what was made';
    const isNothing = given.length === 0 && !/"(other_parts|tool_calls)"/.test(text);
    if (isToldWhole && isNothing && charged > 0 && !hasUsage) return 'gave nothing, is not counted, and is charged';
    return null;
  }

  const tries = (Object.keys(modelsOfDialects) as Dialect[]).flatMap((dialect) =>
    [false, true].map((isStreamed) => [dialect, isStreamed] as const),
  );
  it.each(tries)(
    'are paid where they gave something, free where they gave nothing that was counted, and never above the hold: %s, streamed: %s',
    async (dialect, isStreamed) => {
      const answers = new OddAnswers(seed, dialect);
      const counts = new Map<string, number>();
      const faults: string[] = [];
      for (let number = 0; number < answerCount; number += 1) {
        const { body, hasUsage } = answers.next(isStreamed);
        for (const path of number % 4 === 0 ? Object.keys(askOnWires) : ['/chat/completions']) {
          const tried = await tryOne(path, modelsOfDialects[dialect], body, isStreamed);
          // What was thought is not told there, and is paid.
          const isToldWhole = path === '/completions' && !/reasoning|thought|thinking/.test(body);
          const fault = findFault(tried, hasUsage, path === '/chat/completions' || isToldWhole);
          if (fault !== null) faults.push(`${path} ${fault}: ${body} told ${tried.text}`);
          const told = `${tried.receipt.outcome} ${tried.receipt.usage_source}`;
          counts.set(told, (counts.get(told) ?? 0) + 1);
        }
      }
      process.stdout.write(`${dialect}: ${[...counts].map(([told, count]) => `${count} x ${told}`).join(', ')}\n`);
      expect(faults).toEqual([]);
      const paidCount = (counts.get('completed reported') ?? 0) + (counts.get('completed estimated') ?? 0);
      expect(paidCount).toBeGreaterThan(0);
    },
    7_200_000,
  );

  /** What is wrong with vectors, or with the bill of them; null: nothing. */
  function findFaultOfVectors({ status, text, receipt, charged }: Awaited<ReturnType<typeof tryOne>>) {
    if (charged > Number(receipt.held_millicredits)) return 'is charged above what was held';
    if (status !== 200) return charged === 0 ? null : 'gave nothing, and is charged';
    if (charged === 0) return 'is free, and gave vectors';
    const { data } = JSON.parse(text) as { data: { embedding: unknown }[] };
    const vectors = data.map(({ embedding }) => (Array.isArray(embedding) ? (embedding as unknown[]) : []));
    const length = vectors[0]?.length ?? 0;
    const areWhole = vectors.every((vector) => vector.length === length && vector.every(Number.isFinite));
    return vectors.length === texts.length && length > 0 && areWhole ? null : 'gave something else than vectors';
  }

  it.each(Object.entries(modelsOfVectors) as [Dialect, string][])(
    'that are vectors are as many as were asked for, of numbers, and paid; anything else is told as a failure, and free: %s',
    async (dialect, model) => {
      const answers = new OddAnswers(seed, dialect);
      const counts = new Map<string, number>();
      const faults: string[] = [];
      for (let number = 0; number < answerCount; number += 1) {
        const { body } = answers.nextVectors();
        const tried = await tryOne('/embeddings', model, body, false);
        const fault = findFaultOfVectors(tried);
        if (fault !== null) faults.push(`${fault}: ${body} told ${tried.text}`);
        const told = `${tried.receipt.outcome} ${tried.receipt.usage_source}`;
        counts.set(told, (counts.get(told) ?? 0) + 1);
      }
      process.stdout.write(
        `vectors of ${dialect}: ${[...counts].map(([told, count]) => `${count} x ${told}`).join(', ')}\n`,
      );
      expect(faults).toEqual([]);
      expect([...counts.keys()]).toEqual(expect.arrayContaining([expect.stringContaining('completed'), 'failed none']));
    },
    7_200_000,
  );
});

// The words of a failure are our own, and so are the counts.
function withoutOurs({ error: _, usage: __, ...piece }: Record<string, unknown>): object {
  return piece;
}
