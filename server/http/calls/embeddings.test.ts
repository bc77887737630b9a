import OpenAI from 'openai';
import { listCaptured } from '../../test/captured-requests.js';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { countFakeTokens, fakeVector } from '../../test/fake-embeddings.js';
import { FakeGemini } from '../../test/fake-gemini.js';
import { changeKey } from '../../test/test-keys.js';

const model = 'text-embedding-3-small';
const hello = { model, input: 'Hi' };

interface EmbeddingsBody {
  readonly data: readonly { readonly index: number; readonly embedding: unknown }[];
  readonly usage: object;
}

type Input = string | number[] | string[] | number[][];

function listInputs(input: Input): (string | number[])[] {
  return Array.isArray(input) && typeof input[0] !== 'number' ? (input as string[] | number[][]) : [input as string];
}

function fromBase64(embedding: unknown): number[] {
  const bytes = Buffer.from(embedding as string, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}

describeOnEachDatabase('POST /embeddings', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(100);

  const embed = (body: object, headers: Record<string, string> = {}, path = '/embeddings') =>
    app.call(account.secret, body, path, headers);
  const chargeOf = (work: () => Promise<unknown>, payer = account) => app.chargeOf(payer, work);
  const receiptOf = async (response: Response) => {
    const id = response.headers.get('x-generation-id');
    const headers = { authorization: `Bearer ${account.secret}` };
    return (await fetch(`${app.proxyUrl}/calls/${id}`, { headers })).json() as Promise<Record<string, unknown>>;
  };

  it('answers OpenAI’s client, which asks for base64 by itself, and charges exactly the tokens of the texts', async () => {
    const client = new OpenAI({ baseURL: app.proxyUrl, apiKey: account.secret, maxRetries: 0 });
    const charged = await chargeOf(async () => {
      const answer = await client.embeddings.create({ model, input: ['a', 'b'] });
      expect(answer.data.map(({ embedding }) => embedding)).toEqual([fakeVector(0), fakeVector(1)]);
      expect(answer).toMatchObject({ object: 'list', model, usage: { prompt_tokens: 8, total_tokens: 8 } });
    });
    expect(app.upstream.requests.at(-1)?.body).toMatchObject({ model, input: ['a', 'b'], encoding_format: 'base64' });
    expect(charged).toBe(8);
  });

  it('have the id of their call, as Mistral’s client demands', async () => {
    const response = await embed({ model, input: 'a' });
    expect(await response.json()).toMatchObject({ id: response.headers.get('x-generation-id'), object: 'list' });
  });

  const forms: readonly [string, Input][] = [
    ['a text', 'Hello'],
    ['a list of texts', ['Hello', 'é"\\ 😀']],
    ['ids of tokens', [15_339, 1_917]],
    ['lists of ids', [[15_339, 1_917], [65]]],
  ];
  const encodings = [undefined, null, 'float', 'base64'] as const;
  const cases = forms.flatMap(([name, input]) => encodings.map((encoding) => [name, encoding, input] as const));
  it.each(cases)('takes %s and answers in the encoding that was asked for: %p', async (_, encoding, input) => {
    const inputs = listInputs(input);
    const charged = await chargeOf(async () => {
      const response = await embed({
        model,
        input,
        encoding_format: encoding,
        dimensions: 6,
        user: 'jane',
        stream: true,
      });
      const { data, usage } = (await response.json()) as EmbeddingsBody;
      const vectors = data.map(({ embedding }) => (encoding === 'base64' ? fromBase64(embedding) : embedding));
      expect(vectors).toEqual(inputs.map((_, index) => fakeVector(index, 6)));
      expect(data.map(({ index }) => index)).toEqual(inputs.map((_, index) => index));
      const tokens = countFakeTokens(inputs);
      expect(usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens, credits: tokens / 1_000 });
      expect(response.headers.get('x-credits-charged')).toBe((tokens / 1_000).toFixed(3));
      expect(response.headers.get('x-credits-output-cap')).toBeNull();
    });
    expect(charged).toBe(countFakeTokens(inputs));
    const sent = app.upstream.requests.at(-1)?.body;
    const asked = encoding === 'base64' ? 'base64' : 'float';
    expect(sent).toEqual({ model, input: inputs, encoding_format: asked, dimensions: 6 });
  });

  it('asks for base64 where many vectors are wanted, and writes them as numbers', async () => {
    const response = await embed({ model, input: Array(17).fill('Hello'), dimensions: 6 });
    const { data } = (await response.json()) as EmbeddingsBody;
    expect(data.map(({ embedding }) => embedding)).toEqual(data.map(({ index }) => fakeVector(index, 6)));
    expect(app.upstream.requests.at(-1)?.body).toMatchObject({ encoding_format: 'base64' });
  });

  it('passes on the digits that the provider wrote', async () => {
    const response = await embed({ model, input: '@@digits', dimensions: 3 });
    expect(await response.text()).toContain('"embedding":[0.006929283,-0.1,1e-7]');
  });

  it.each(listCaptured('/v1/embeddings'))('answers what was captured of %s, charged exactly', async (_, { body }) => {
    const charged = await chargeOf(async () => {
      const response = await embed(body);
      const { data } = (await response.json()) as EmbeddingsBody;
      const isText = body.encoding_format === 'base64';
      expect(data.every(({ embedding }) => isText === (typeof embedding === 'string'))).toBe(true);
    });
    expect(charged).toBe(countFakeTokens(listInputs(body.input as Input)));
  });

  it('is served below every prefix and at the root', async () => {
    for (const prefix of ['', '/v1', '/api/v1', '/api/proxy.php', '/api/proxy.php/v1']) {
      const headers = { authorization: `Bearer ${account.secret}`, 'content-type': 'application/json' };
      const url = `${app.baseUrl}${prefix}/embeddings`;
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(hello) });
      expect([prefix, response.status]).toEqual([prefix, 200]);
    }
  });

  it.each([
    ['a text', hello.input],
    ['texts', ['Hello', 'you']],
    ['ids of tokens', [15_339, 1_917]],
    ['lists of ids', [[15_339], [1_917]]],
    // Of more values than any body of chat has, so it is read in a thread of its own.
    ['a full batch of ids', Array.from({ length: 1_000 }, () => Array.from({ length: 150 }, () => 15_339))],
  ])('is estimated at exactly what would be held: %s', async (_, input) => {
    const estimate = (await (await embed({ ...hello, input }, {}, '/estimate')).json()) as Record<string, unknown>;
    expect(estimate).toMatchObject({ object: 'estimate', model, output_tokens_max: 0, choices: 1 });
    const receipt = await receiptOf(await embed({ ...hello, input }));
    expect(estimate.credits_max).toBe(receipt.credits_held);
  });

  it('is not estimated for a model that writes answers, nor an answer for one of embeddings', async () => {
    const askedAs = async (body: object) => (await embed(body, {}, '/estimate')).status;
    expect(await askedAs({ model: 'gpt-4o-mini', input: [[1, 2]] })).toBe(400);
    expect(await askedAs({ model, messages: [{ role: 'user', content: 'Hi' }] })).toBe(400);
    // Of this form are Responses, too.
    expect(await askedAs({ model: 'gpt-4o-mini', input: 'Hi' })).toBe(200);
  });

  it('costs twice as much in the higher tier, by what its provider has counted', async () => {
    let receipt: Record<string, unknown> = {};
    const charged = await chargeOf(async () => {
      receipt = await receiptOf(await embed({ ...hello, model: 'text-embedding-3-large' }));
    });
    expect(charged).toBe(8);
    expect(receipt).toMatchObject({ tier: 'higher', usage: { prompt_tokens: 4, total_tokens: 4, source: 'reported' } });
  });

  it.each([
    ['floats where base64 was asked', '@@floats', 4],
    ['the last vector first', '@@turned', 4],
    ['only a total of tokens', '@@total-only', 4],
  ])('understands a provider that answers %s', async (_, verb, tokens) => {
    const charged = await chargeOf(async () => {
      const { data } = (await (await embed({ model, input: [verb, 'b'] })).json()) as EmbeddingsBody;
      expect(data.map(({ embedding }) => embedding)).toEqual([fakeVector(0), fakeVector(1)]);
    });
    expect(charged).toBe(2 * tokens);
  });

  it.each([
    ['@@no-usage Hello world', 7],
    ['@@zero-usage Hello world', 7],
  ])('counts the tokens itself where its provider does not, and says so: %s', async (input, tokens) => {
    let receipt: Record<string, unknown> = {};
    const charged = await chargeOf(async () => {
      receipt = await receiptOf(await embed({ model, input }));
    });
    expect(receipt).toMatchObject({ model, outcome: 'completed', stream: false, finish_reason: null });
    expect(receipt.usage).toMatchObject({ prompt_tokens: tokens, completion_tokens: 0, source: 'estimated' });
    expect(charged).toBe(tokens);
  });

  it.each([
    ['refuses it', '@@status=400', 400],
    ['fails', '@@status=500', 502],
    ['breaks off', '@@cut', 502],
    ['sends no JSON', '@@bad-json', 502],
    ['tells an error as a success', '@@error', 502],
    ['sends fewer vectors', '@@fewer', 502],
    ['sends vectors of other dimensions', '@@dimensions=5', 502],
    ['sends a number that is none', '@@floats @@not-finite', 502],
  ])('is free where its provider %s', async (_, verb, status) => {
    const charged = await chargeOf(async () => {
      const response = await embed({ model, input: verb, dimensions: 8 });
      expect(response.status).toBe(status);
      expect(await receiptOf(response)).toMatchObject({ outcome: 'failed', credits_charged: 0 });
    });
    expect(charged).toBe(0);
  });

  it.each([
    [{ input: undefined }, 'missing_required_parameter', 'input'],
    [{ input: null }, 'missing_required_parameter', 'input'],
    [{ model: undefined }, 'missing_required_parameter', 'model'],
    [{ model: 7 }, 'invalid_type', 'model'],
    [{ input: {} }, 'invalid_type', 'input'],
    [{ input: 7 }, 'invalid_type', 'input'],
    [{ input: '' }, 'invalid_value', 'input'],
    [{ input: [] }, 'invalid_value', 'input'],
    [{ input: [{}] }, 'invalid_type', 'input'],
    [{ input: ['a', ''] }, 'invalid_value', 'input[1]'],
    [{ input: ['a', 1] }, 'invalid_type', 'input[1]'],
    [{ input: [1, 'a'] }, 'invalid_type', 'input[1]'],
    [{ input: [[1], 'a'] }, 'invalid_type', 'input[1]'],
    [{ input: [[1], []] }, 'invalid_value', 'input[1]'],
    [{ input: [[1], [2, -1]] }, 'invalid_type', 'input[1][1]'],
    [{ input: [1.5] }, 'invalid_type', 'input[0]'],
    [{ dimensions: 0 }, 'invalid_value', 'dimensions'],
    [{ dimensions: '3' }, 'invalid_type', 'dimensions'],
    [{ dimensions: 1_537 }, 'invalid_value', 'dimensions'],
    [{ encoding_format: 'int8' }, 'invalid_value', 'encoding_format'],
  ])('refuses %j by name, for nothing', async (fields, code, param) => {
    const requests = app.upstream.requests.length;
    const charged = await chargeOf(async () => {
      const response = await embed({ ...hello, ...fields });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code, param } });
    });
    expect([charged, app.upstream.requests.length - requests]).toEqual([0, 0]);
  });

  it('refuses more text, inputs or tokens than OpenAI takes in one call', async () => {
    const inputs = await embed({ model, input: Array(2_049).fill('a') });
    expect(await inputs.json()).toMatchObject({ error: { code: 'invalid_value', param: 'input' } });
    const long = await embed({ model, input: Array(11).fill('x'.repeat(1024 * 1024)) });
    expect(await long.json()).toMatchObject({ error: { code: 'invalid_value', param: 'input' } });
    const many = await embed({ model, input: Array(400).fill(Array(1_000).fill(1)) });
    expect(await many.json()).toMatchObject({ error: { code: 'invalid_value' } });
  });

  it.each([
    ['/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] }, '/embeddings'],
    ['/responses', { model, input: 'Hi' }, '/embeddings'],
    ['/completions', { model, prompt: 'Hi' }, '/embeddings'],
    ['/messages', { model, max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }, '/embeddings'],
    ['/estimate', { model, messages: [{ role: 'user', content: 'Hi' }] }, '/embeddings'],
    ['/embeddings', { model: 'gpt-4o-mini', input: 'Hi' }, '/chat/completions'],
  ])(
    'a model that does not serve %s is refused there, and the answer says where to call it',
    async (path, body, right) => {
      const response = await embed(body, {}, path);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(right);
    },
  );

  it('lists its models with what they take; Anthropic’s clients are told those that write', async () => {
    const { data } = (await (await fetch(`${app.proxyUrl}/models`)).json()) as { data: { id: string }[] };
    expect(data.find(({ id }) => id === model)).toMatchObject({
      ...{ tier: 'lower', context_length: 8_191, supported_parameters: ['dimensions', 'encoding_format'] },
      architecture: { modality: 'text->embeddings', output_modalities: ['embeddings'] },
      pricing: { prompt: '0.000001', completion: '0' },
    });
    const headers = { 'anthropic-version': '2023-06-01' };
    const { data: writing } = (await (await fetch(`${app.proxyUrl}/models`, { headers })).json()) as typeof data & {
      data: { id: string }[];
    };
    expect(writing.map(({ id }) => id)).not.toContain(model);
    const { models } = await app.graphql<{ models: { id: string; endpoint: string }[] }>('{ models { id endpoint } }');
    expect(models.filter(({ endpoint }) => endpoint === 'EMBEDDINGS').map(({ id }) => id)).toContain(model);
    expect(models.find(({ id }) => id === 'gpt-4o')?.endpoint).toBe('CHAT');
  });

  it('answers the same Idempotency-Key again, and charges once', async () => {
    const headers = { 'idempotency-key': 'embeddings-1' };
    const requests = app.upstream.requests.length;
    const answers: string[] = [];
    const charged = await chargeOf(async () => {
      for (let time = 0; time < 2; time += 1) answers.push(await (await embed(hello, headers)).text());
    });
    expect(answers[1]).toBe(answers[0]);
    expect([charged, app.upstream.requests.length - requests]).toEqual([4, 1]);
    expect((await embed({ ...hello, input: 'Ho' }, headers)).status).toBe(422);
  });

  it('of calls in parallel with credits for one, one is made, and nothing is owed', async () => {
    const poor = await app.createAccount(0);
    // What a text of 14 bytes is held at.
    await app.setBalance(poor.accountId, 18);
    const call = () => app.call(poor.secret, { model, input: '@@delay=300 xx' }, '/embeddings');
    const statuses: number[] = [];
    const charged = await chargeOf(async () => {
      const responses = await Promise.all(Array.from({ length: 8 }, call));
      statuses.push(...responses.map(({ status }) => status));
    }, poor);
    expect(statuses.sort()).toEqual([200, ...Array(7).fill(402)]);
    expect(charged).toBe(4);
  });

  it.each(['float', 'base64'] as const)('answers a full batch of long vectors whole, as %s', async (encoding) => {
    const input = Array.from({ length: 2_048 }, (_, index) => `text ${index}`);
    const charged = await chargeOf(async () => {
      const response = await embed({ model, input, dimensions: 512, encoding_format: encoding });
      const { data } = (await response.json()) as EmbeddingsBody;
      const vectors = data.map(({ embedding }) => (encoding === 'base64' ? fromBase64(embedding) : embedding));
      expect(vectors).toEqual(input.map((_, index) => fakeVector(index, 512)));
    });
    expect(charged).toBe(4 * 2_048);
  });

  it('takes as many ids of tokens as OpenAI does in one call', async () => {
    const input = Array.from({ length: 300 }, () => Array<number>(1_000).fill(15_339));
    const charged = await chargeOf(async () => {
      const response = await embed({ model, input });
      expect([response.status, response.status === 200 ? '' : await response.text()]).toEqual([200, '']);
    });
    expect(charged).toBe(300_000);
  });

  it('keeps to the models and the spend limit of a key', async () => {
    const bound = await app.createAccount(5);
    const codeOf = async () => {
      const response = await app.call(bound.secret, hello, '/embeddings');
      const { error } = (await response.json()) as { error?: { code: string } };
      return [response.status, error?.code];
    };
    await changeKey(app, bound, { models: ['gpt-4o-mini'] });
    expect(await codeOf()).toEqual([403, 'model_not_allowed']);
    await changeKey(app, bound, { models: [model], spendLimit: 0, spendPeriod: 'DAY' });
    expect(await codeOf()).toEqual([402, 'key_limit_exceeded']);
    await changeKey(app, bound, { spendLimit: 1, spendPeriod: 'DAY' });
    expect(await codeOf()).toEqual([200, undefined]);
  });
});

describeOnEachDatabase('The memory of POST /embeddings', (openTestDatabase) => {
  it('is bounded for an account: a second full batch of long vectors is told to wait, and goes out later', async () => {
    const app = await TestApp.start(await openTestDatabase(), { BODY_MEMORY_MB: '80' });
    const { secret } = await app.createAccount(20);
    const input = Array<string>(2_048).fill('a');
    const answerNow = app.upstream.holdAnswers();
    const embed = async () => {
      const response = await app.call(secret, { model, input }, '/embeddings');
      await response.text();
      return response;
    };
    const both = [embed(), embed()];
    await Promise.race(both);
    answerNow();
    const responses = await Promise.all(both);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 429]);
    expect(responses.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('1');
    expect((await embed()).status).toBe(200);
    await app.close();
  });
});

describeOnEachDatabase('POST /embeddings of models of Google', (openTestDatabase) => {
  const gemini = 'gemini-embedding-001';
  const google = FakeGemini.forAll();
  const app = TestApp.forAll(openTestDatabase, () => ({
    GEMINI_API_KEY: 'AIzaSyOperatorCanary0123456789',
    GEMINI_BASE_URL: google.baseUrl,
  }));
  const account = app.accountForAll(20);
  const embed = (fields: object) => app.call(account.secret, { model: gemini, ...fields }, '/embeddings');
  const chargedOf = (response: Response) => Number(response.headers.get('x-credits-charged')) * 1_000;
  const requestsOfLastCall = () =>
    (google.calls.at(-1)?.body as unknown as { requests: object[] } | undefined)?.requests;

  it('answers vectors of length 1, in the encoding that was asked for, and counts tokens that nobody has counted', async () => {
    const response = await embed({ input: ['Hello world', 'b'], dimensions: 4, encoding_format: 'base64' });
    const { data } = (await response.json()) as EmbeddingsBody;
    expect(data.map(({ embedding }) => fromBase64(embedding))).toEqual([Array(4).fill(0.5), Array(4).fill(0.5)]);
    expect(google.calls.at(-1)?.url).toBe(`/v1beta/models/${gemini}:batchEmbedContents`);
    expect(requestsOfLastCall()).toMatchObject([{ outputDimensionality: 4 }, { outputDimensionality: 4 }]);
    // Two tokens and one, and one more for each text.
    expect(chargedOf(response)).toBe(5);
  });

  it('charges what Google has counted', async () => {
    expect(chargedOf(await embed({ input: '@@usage' }))).toBe(9);
  });

  it.each([
    ['lists of ids', [[15_339, 1_917], [65]], ['hello world', 'b']],
    ['ids', [15_339, 1_917], ['hello world']],
  ])('puts %s of tokens back into the texts that they stand for', async (_, input, texts) => {
    expect((await embed({ input })).status).toBe(200);
    const sent = texts.map((text) => ({ model: `models/${gemini}`, content: { parts: [{ text }] } }));
    expect(requestsOfLastCall()).toEqual(sent);
  });

  it.each([
    ['ids that stand for nothing', [[65], [999_999]], 'invalid_value', 'input[1]'],
    ['more inputs than Google takes in one call', Array(101).fill('a'), 'invalid_value', 'input'],
  ])('refuses %s by name, for nothing', async (_, input, code, param) => {
    const calls = google.calls.length;
    const response = await embed({ input });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code, param } });
    expect(google.calls.length).toBe(calls);
  });
});
