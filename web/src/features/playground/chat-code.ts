import { type ChatMessage, type ChatSettings, toChatBody } from '../../lib/playground/chat-body';
import { secretPlaceholder } from '../../lib/quickstart-snippets';

export interface ChatCode {
  readonly language: 'curl' | 'Python' | 'Node';
  readonly code: string;
}

/** The same request in three languages, with every parameter as it is set now. */
export function chatCode(
  settings: ChatSettings,
  messages: readonly ChatMessage[],
  baseUrl: string,
): readonly ChatCode[] {
  const asked = messages.length === 0 ? [{ role: 'user' as const, content: 'Hello' }] : messages;
  const body = toChatBody(settings, asked);
  return [
    { language: 'curl', code: curlCode(body, baseUrl) },
    { language: 'Python', code: pythonCode(body, baseUrl) },
    { language: 'Node', code: nodeCode(body, baseUrl) },
  ];
}

function curlCode(body: object, baseUrl: string): string {
  // Inside single quotes a shell reads all but the quote itself as it stands.
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''");
  return `curl ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${secretPlaceholder}" \\
  -H "Content-Type: application/json" \\
  -d '${json}'`;
}

function pythonCode(body: Record<string, unknown>, baseUrl: string): string {
  const parameters = Object.entries(body).map(([name, value]) => `    ${name}=${toPython(value)},`);
  const ending = pythonEndings[body.stream === true ? 'streamed' : 'plain'][body.tools ? 'withTools' : 'text'];
  return `from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key="${secretPlaceholder}")

reply = client.chat.completions.create(
${parameters.join('\n')}
)
${ending}`;
}

/** What is done with the answer. One that asks for tools has no text, or text and the calls besides. */
type Endings = Readonly<Record<'plain' | 'streamed', Readonly<Record<'text' | 'withTools', string>>>>;

const pythonEndings: Endings = {
  plain: {
    text: 'print(reply.choices[0].message.content)',
    withTools: `message = reply.choices[0].message
print(message.content or "")
for call in message.tool_calls or []:
    print(call.function.name, call.function.arguments)`,
  },
  streamed: {
    text: `for chunk in reply:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`,
    withTools: `for chunk in reply:
    for choice in chunk.choices:
        print(choice.delta.content or "", end="", flush=True)
        # The name of a tool comes first, then its arguments in pieces.
        for call in choice.delta.tool_calls or []:
            if call.function.name:
                print(f"\\n{call.function.name} ", end="")
            print(call.function.arguments or "", end="", flush=True)`,
  },
};

const nodeEndings: Endings = {
  plain: {
    text: 'console.log(reply.choices[0].message.content);',
    withTools: `const { content, tool_calls } = reply.choices[0].message;
console.log(content ?? '');
for (const call of tool_calls ?? []) console.log(call.function.name, call.function.arguments);`,
  },
  streamed: {
    text: `for await (const chunk of reply) process.stdout.write(chunk.choices[0]?.delta.content ?? '');`,
    withTools: `for await (const chunk of reply) {
  const delta = chunk.choices[0]?.delta;
  process.stdout.write(delta?.content ?? '');
  // The name of a tool comes first, then its arguments in pieces.
  for (const call of delta?.tool_calls ?? []) {
    if (call.function?.name) process.stdout.write('\\n' + call.function.name + ' ');
    process.stdout.write(call.function?.arguments ?? '');
  }
}`,
  },
};

function toPython(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) {
    return `[\n${value.map((entry) => `        ${toPython(entry)},`).join('\n')}\n    ]`;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${toPython(inner)}`);
    return `{${entries.join(', ')}}`;
  }
  // A JSON string is a Python string.
  return JSON.stringify(value);
}

function nodeCode(body: Record<string, unknown>, baseUrl: string): string {
  const parameters = Object.entries(body).map(
    ([name, value]) => `  ${name}: ${JSON.stringify(value, null, 2).replaceAll('\n', '\n  ')},`,
  );
  const ending = nodeEndings[body.stream === true ? 'streamed' : 'plain'][body.tools ? 'withTools' : 'text'];
  return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: '${secretPlaceholder}' });

const reply = await client.chat.completions.create({
${parameters.join('\n')}
});
${ending}`;
}
