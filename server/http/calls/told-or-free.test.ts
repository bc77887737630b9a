import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

const wires = [
  ['chat', '/chat/completions'],
  ['responses', '/responses'],
  ['messages', '/messages'],
  ['completions', '/completions'],
] as const;

const askOn = (path: string, text: string, isStreamed: boolean) => {
  const common = { model: 'gpt-4o-mini', stream: isStreamed, max_tokens: 100 };
  if (path === '/responses') return { model: 'gpt-4o-mini', stream: isStreamed, input: text };
  if (path === '/completions') return { ...common, prompt: text };
  return { ...common, messages: [{ role: 'user', content: text }] };
};

describeOnEachDatabase('What a caller pays for', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);
  const account = app.accountForAll(50);

  const ask = async (path: string, text: string, isStreamed: boolean) => {
    const before = await app.findWallet(account.accountId);
    const response = await app.call(account.secret, askOn(path, text, isStreamed), path);
    const answer = await response.text();
    await app.waitUntilSettled(account.accountId);
    const after = await app.findWallet(account.accountId);
    return { status: response.status, answer, charged: Number(before.posted) - Number(after.posted) };
  };

  // The model of the fake is not known to reason, and Responses tells no thinking that was not asked for.
  it.each([
    ['chat', '/chat/completions', true],
    ['messages', '/messages', true],
    ['responses', '/responses', false],
    ['completions', '/completions', false],
  ])(
    'over %s a stream that breaks off in its thinking is paid as far as it was told: %s is %s',
    async (_, path, isTold) => {
      const { answer, charged } = await ask(path, '@@says=reasoning @@cut=2 Hi', true);
      expect(answer.includes('Let me')).toBe(isTold);
      expect(charged > 0).toBe(isTold);
    },
  );

  it.each(wires.flatMap(([wire, path]) => [true, false].map((isStreamed) => [wire, path, isStreamed] as const)))(
    'an image that the model made reaches who called over %s (%s, streamed: %s)',
    async (_, path, isStreamed) => {
      const { status, answer, charged } = await ask(path, '@@says=image Draw', isStreamed);
      expect(status).toBe(200);
      expect(answer).toContain('data:image/png;base64,aGk=');
      expect(charged).toBeGreaterThan(0);
    },
  );

  it.each(['tools', 'functions'])(
    'over completions %s are refused by name, since no call could be told',
    async (field) => {
      const described = { name: 'f', parameters: { type: 'object', properties: {} } };
      const offered = field === 'tools' ? [{ type: 'function', function: described }] : [described];
      const body = { ...askOn('/completions', 'Hi', false), [field]: offered };
      const response = await app.call(account.secret, body, '/completions');
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'unsupported_parameter', param: field } });
    },
  );
});
