import { chatCode } from './chat-code';

const settings = { model: 'demo-small', system: '', temperature: 0.2, maxTokens: 64, isStreamed: true };

describe('chatCode', () => {
  const messages = [{ role: 'user', content: `It's "quoted"\nand long` }] as const;
  const codeOf = (language: string) =>
    chatCode(settings, messages, 'http://h/api/proxy.php').find((code) => code.language === language)?.code ?? '';

  it('sends with curl a body that a shell hands over whole', () => {
    const quoted = /-d '([\s\S]*)'$/.exec(codeOf('curl'))?.[1] ?? '';
    expect(JSON.parse(quoted.replaceAll("'\\''", "'"))).toMatchObject({ messages, temperature: 0.2, max_tokens: 64 });
  });

  it('has every parameter in Python and Node', () => {
    for (const name of ['model', 'messages', 'temperature', 'max_tokens', 'stream', 'stream_options']) {
      expect(codeOf('Python')).toContain(`    ${name}=`);
      expect(codeOf('Node')).toContain(`  ${name}: `);
    }
    expect(codeOf('Python')).toContain('stream=True');
    expect(codeOf('Python')).toContain(`"It's \\"quoted\\"\\nand long"`);
  });

  it('writes schema and tools as each language writes them', () => {
    const schema = '{"type":"object","additionalProperties":false,"default":null}';
    const tools = '[{"type":"function","function":{"name":"now"}}]';
    const [curl, python, node] = chatCode({ ...settings, schema, tools }, messages, 'http://h').map(({ code }) => code);
    expect(python).toContain('"additionalProperties": False, "default": None');
    expect(python).toContain('    tools=[');
    expect(node).toContain('"additionalProperties": false');
    expect(curl).toContain('"json_schema"');
  });

  it('gives SDKs the base URL and curl the whole address, and shows no key', () => {
    expect(codeOf('curl')).toContain('http://h/api/proxy.php/chat/completions');
    expect(codeOf('Node')).not.toContain('/chat/completions');
    expect(codeOf('Node')).toContain('YOUR_KEY');
  });

  it.each([true, false])(
    'prints the tools that an answer asks for, and no text that it does not have, streamed: %s',
    async (isStreamed) => {
      const tools = '[{"type":"function","function":{"name":"get_weather"}}]';
      const [, python = '', node = ''] = chatCode({ ...settings, isStreamed, tools }, messages, 'http://h').map(
        ({ code }) => code,
      );
      const called = (name: string | null, args: string) => [{ function: { name, arguments: args } }];
      const reply = isStreamed
        ? [
            { choices: [{ delta: { content: null, tool_calls: called('get_weather', '') } }] },
            { choices: [{ delta: { tool_calls: called(null, '{"city":') } }] },
            { choices: [{ delta: { tool_calls: called(null, '"Rome"}') } }] },
            { choices: [] },
          ]
        : { choices: [{ message: { content: null, tool_calls: called('get_weather', '{"city":"Rome"}') } }] };
      expect(await runNode(node, reply)).toBe('get_weather {"city":"Rome"}');
      expect(python).toContain('call.function.name');
      expect(python).toContain('content or ""');
    },
  );
});

/** What the code for Node prints for an answer, whose client gives back `reply`. */
async function runNode(code: string, reply: unknown): Promise<string> {
  const printed: string[] = [];
  const print = (...words: string[]) => void printed.push(words.join(' '));
  class OpenAi {
    readonly chat = { completions: { create: async () => reply } };
  }
  const AsyncFunction = (async () => undefined).constructor as new (
    ...parts: string[]
  ) => (...given: unknown[]) => Promise<void>;
  const run = new AsyncFunction('OpenAI', 'process', 'console', code.replace(/^import .*$/m, ''));
  await run(OpenAi, { stdout: { write: print } }, { log: print });
  return printed.join('').trim();
}
