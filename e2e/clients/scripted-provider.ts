import type { IncomingMessage, ServerResponse } from 'node:http';
import { providerSettingsAt } from '../../server/test/contract-upstream.js';
import { LocalServer } from '../../server/test/local-server.js';
import { toEvent } from '../../server/test/provider-contract-case.js';
import {
  plainAnswer,
  streamedAnswer,
  textBlock,
  thinkingBlock,
  toolBlock,
} from '../../server/test/provider-contracts/anthropic-answers.js';
import { answer, stream } from '../../server/test/provider-contracts/gemini-answers.js';

/** One turn of the model: words, then a call of a tool; one of them may be missing. */
export interface ScriptedTurn {
  readonly says?: string;
  readonly calls?: { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };
}

export interface ScriptedRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** What each turn counts, prompt and answer. */
export const tokensOfTurn = 18;

const counts = { inputTokens: 11, outputTokens: 7 };
const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: tokensOfTurn };

/** What Gemini wants back with a call, and Anthropic with its thinking. */
export const signatureOf = (turn: number) => Buffer.from(`signed ${turn}`).toString('base64');

const thoughtOf = (turn: number) => `Thought ${turn}.`;

/**
 * A model that thinks, calls one tool after the other and then says something, as three companies speak. Which turn it is, it reads
 * from how many results of tools a request has.
 */
export class ScriptedProvider extends LocalServer {
  /** Every request so far, oldest first. */
  readonly requests: ScriptedRequest[] = [];

  constructor(private readonly turns: readonly ScriptedTurn[]) {
    super();
  }

  /** The settings that lead all three here. */
  get settings(): Readonly<Record<string, string>> {
    return providerSettingsAt(this.port);
  }

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const piece of request) text += String(piece);
    const body = JSON.parse(text) as Record<string, unknown>;
    this.requests.push({ body, text });
    const results = text.match(/"role":"tool"|"type":"tool_result"|"functionResponse":/g) ?? [];
    const place = Math.min(results.length, this.turns.length - 1);
    const turn = this.turns[place];
    if (turn === undefined) throw new Error('The script is empty.');
    const url = request.url ?? '';
    const isStreamed = body.stream === true || url.includes(':streamGenerateContent');
    const { plain, events } = writeTurn(url, turn, place);
    if (isStreamed) response.writeHead(200, { 'content-type': 'text/event-stream' }).end(events.join(''));
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(plain));
  }
}

interface WrittenTurn {
  readonly plain: object;
  readonly events: readonly string[];
}

function writeTurn(url: string, turn: ScriptedTurn, place: number): WrittenTurn {
  if (url.endsWith('/messages')) return writeAnthropic(turn, place);
  return /generateContent/i.test(url) ? writeGemini(turn, place) : writeOpenAi(turn, place);
}

function writeOpenAi({ says, calls }: ScriptedTurn, place: number): WrittenTurn {
  const reason = calls ? 'tool_calls' : 'stop';
  const head = { id: 'chatcmpl-1', created: 1, model: 'theirs' };
  const target = { name: calls?.tool, arguments: JSON.stringify(calls?.input) };
  const toolCalls = calls ? [{ id: `call_up_${place}`, type: 'function', function: target }] : [];
  const message = {
    role: 'assistant',
    reasoning_content: thoughtOf(place),
    content: says ?? null,
    ...(calls ? { tool_calls: toolCalls } : {}),
  };
  const chunk = (delta: object, finishReason: string | null = null) =>
    toEvent({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finishReason }] });
  return {
    plain: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: reason }], usage },
    events: [
      chunk({ role: 'assistant', reasoning_content: thoughtOf(place) }),
      ...(says === undefined ? [] : [chunk({ content: says })]),
      ...toolCalls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
      chunk({}, reason),
      toEvent({ ...head, choices: [], usage }),
      toEvent('[DONE]'),
    ],
  };
}

function writeAnthropic({ says, calls }: ScriptedTurn, place: number): WrittenTurn {
  const blocks = [
    thinkingBlock(signatureOf(place), thoughtOf(place)),
    ...(says === undefined ? [] : [textBlock(says)]),
    ...(calls ? [toolBlock(`toolu_${place}`, calls.tool, calls.input, JSON.stringify(calls.input))] : []),
  ];
  const end = { ...counts, stopReason: calls ? 'tool_use' : 'end_turn' } as const;
  return { plain: plainAnswer(blocks, end), events: streamedAnswer(blocks, end) };
}

function writeGemini({ says, calls }: ScriptedTurn, place: number): WrittenTurn {
  const call = calls && {
    functionCall: { id: `fc_${place}`, name: calls.tool, args: { ...calls.input } },
    thoughtSignature: signatureOf(place),
  };
  const parts = [...(says === undefined ? [] : [{ text: says }]), ...(call ? [call] : [])];
  const thought = { text: thoughtOf(place), thought: true };
  return { plain: answer([thought, ...parts]), events: stream([[thought], parts], {}, true) };
}
