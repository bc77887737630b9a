import type { IncomingMessage, ServerResponse } from 'node:http';
import { LocalServer } from './local-server.js';

/** How a provider bills a stream whose connection is closed early. */
export type AbortBilling = 'what was written' | 'everything' | 'nothing before the first word';

export type MeteredDialect = 'openai' | 'anthropic' | 'gemini';

/** One call that the provider is to answer. */
export interface MeteredPlan {
  readonly dialect: MeteredDialect;
  readonly billing: AbortBilling;
  readonly promptTokens: number;
  /** Shown before the words, each a token of its own. */
  readonly thoughts: number;
  /** Each a token of its own. */
  readonly words: number;
  /** Made before the first word, billed and never shown. */
  readonly hiddenTokens: number;
  /** After so many of its steps the provider waits to be told to go on; the first is the head of its answer. */
  readonly pauseAfterStep: number;
}

interface Step {
  readonly text: string;
  /** Whether it holds a word, or one that was thought. */
  readonly isWord: boolean;
}

/** One plan, and what has become of it. */
class MeteredRun {
  wordsWritten = 0;
  hasPrompt = false;
  hasEnded = false;
  wasClosed = false;
  #hasPaused: () => void = () => {};
  #goOn: () => void = () => {};
  /** Resolves when the provider has come to its pause. */
  readonly paused = new Promise<void>((resolve) => {
    this.#hasPaused = resolve;
  });
  readonly #going = new Promise<void>((resolve) => {
    this.#goOn = resolve;
  });

  constructor(
    /** To be written into the prompt, so that the provider knows which plan is asked for. */
    readonly mark: string,
    readonly plan: MeteredPlan,
  ) {}

  /** What the provider bills, in tokens. */
  get billedTokens(): number {
    const { billing, promptTokens, hiddenTokens, thoughts, words } = this.plan;
    if (!this.hasPrompt) return 0;
    if (this.hasEnded || billing === 'everything') return promptTokens + hiddenTokens + thoughts + words;
    if (billing === 'nothing before the first word' && this.wordsWritten === 0) return 0;
    return promptTokens + this.wordsWritten;
  }

  /** Ends the pause. */
  goOn(): void {
    this.#goOn();
  }

  /** Waits to be told to go on, or, but for a provider that bills everything, for the connection's end. */
  async pause(closed: Promise<void>): Promise<void> {
    this.#hasPaused();
    await (this.plan.billing === 'everything' ? this.#going : Promise.race([this.#going, closed]));
  }
}

/**
 * A provider of three dialects that knows to the token what it will bill. It answers each plan step by step; where the plan says
 * so it waits until it is told to go on, or until its connection is closed.
 */
export class MeteredUpstream extends LocalServer {
  readonly #runs = new Map<string, MeteredRun>();

  expect(plan: MeteredPlan): MeteredRun {
    const run = new MeteredRun(`@@plan=${this.#runs.size}@`, plan);
    this.#runs.set(run.mark, run);
    return run;
  }

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await readText(request).catch(() => null)) ?? '';
    const run = this.#runs.get(/@@plan=\d+@/.exec(body)?.[0] ?? '');
    if (run === undefined) return;
    run.hasPrompt = true;
    const closed = new Promise<void>((resolve) => {
      response.on('close', () => {
        run.wasClosed = !response.writableFinished;
        resolve();
      });
    });
    const isStreamed = /"stream":true/.test(body) || (request.url ?? '').includes(':stream');
    await (isStreamed ? answerStreamed(run, response, closed) : answerWhole(run, response, closed));
    if (!run.wasClosed) run.hasEnded = true;
  }
}

async function answerWhole(run: MeteredRun, response: ServerResponse, closed: Promise<void>): Promise<void> {
  if (run.plan.pauseAfterStep >= 0) await run.pause(closed);
  if (run.wasClosed) return;
  response.writeHead(200, { 'content-type': 'application/json' }).end(writeWhole(run.plan));
}

async function answerStreamed(run: MeteredRun, response: ServerResponse, closed: Promise<void>): Promise<void> {
  const { pauseAfterStep } = run.plan;
  if (pauseAfterStep === 0) await run.pause(closed);
  if (run.wasClosed) return;
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  if (pauseAfterStep === 1) await run.pause(closed);
  for (const [index, { text, isWord }] of listSteps(run.plan).entries()) {
    if (run.wasClosed) return;
    response.write(text);
    if (isWord) run.wordsWritten += 1;
    if (pauseAfterStep === index + 2) await run.pause(closed);
  }
  if (!run.wasClosed) response.end();
}

/** How many steps the streamed answer of a plan has, its head included. */
export function countSteps(plan: Pick<MeteredPlan, 'dialect' | 'thoughts' | 'words'>): number {
  return 1 + listSteps({ ...plan, promptTokens: 1, hiddenTokens: 0 }).length;
}

type Answer = Pick<MeteredPlan, 'dialect' | 'thoughts' | 'words' | 'promptTokens' | 'hiddenTokens'>;

const word = ' word';

function listSteps(plan: Answer): Step[] {
  const repeat = (count: number, text: string): Step[] => Array.from({ length: count }, () => ({ text, isWord: true }));
  const thoughts = (text: string) => repeat(plan.thoughts, text);
  const words = (text: string) => repeat(plan.words, text);
  const silent = (text: string): Step => ({ text, isWord: false });
  const outputTokens = countOutput(plan);
  switch (plan.dialect) {
    case 'openai': {
      const usage = { prompt_tokens: plan.promptTokens, completion_tokens: outputTokens };
      const chunk = (delta: object, finish_reason: string | null = null) =>
        toData({ id: 'u', choices: [{ index: 0, delta, finish_reason }] });
      return [
        silent(chunk({ role: 'assistant', content: '' })),
        ...thoughts(chunk({ reasoning_content: word })),
        ...words(chunk({ content: word })),
        silent(chunk({}, 'stop')),
        silent(toData({ id: 'u', choices: [], usage })),
        silent('data: [DONE]\n\n'),
      ];
    }
    case 'anthropic': {
      const event = (type: string, more: object) => `event: ${type}\n${toData({ type, ...more })}`;
      const usage = { input_tokens: plan.promptTokens, output_tokens: 1 };
      const message = {
        id: 'm',
        type: 'message',
        role: 'assistant',
        content: [],
        model: 'm',
        stop_reason: null,
        usage,
      };
      const begin = (index: number, content_block: object) =>
        silent(event('content_block_start', { index, content_block }));
      const more = (index: number, delta: object) => event('content_block_delta', { index, delta });
      const end = (index: number) => silent(event('content_block_stop', { index }));
      const thinking = [
        begin(0, { type: 'thinking', thinking: '', signature: '' }),
        ...thoughts(more(0, { type: 'thinking_delta', thinking: word })),
        silent(more(0, { type: 'signature_delta', signature: 's' })),
        end(0),
      ];
      return [
        silent(event('message_start', { message })),
        ...(plan.thoughts === 0 ? [] : thinking),
        begin(1, { type: 'text', text: '' }),
        ...words(more(1, { type: 'text_delta', text: word })),
        end(1),
        silent(event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: outputTokens } })),
        silent(event('message_stop', {})),
      ];
    }
    case 'gemini': {
      const candidate = (part: object, more: object = {}) => ({
        candidates: [{ index: 0, content: { role: 'model', parts: [part] }, ...more }],
      });
      const usageMetadata = toGeminiUsage(plan);
      return [
        ...thoughts(toData(candidate({ text: word, thought: true }))),
        ...words(toData(candidate({ text: word }))),
        silent(toData({ ...candidate({ text: '' }, { finishReason: 'STOP' }), usageMetadata })),
      ];
    }
  }
}

function writeWhole(plan: Answer): string {
  const text = word.repeat(plan.words);
  const thought = word.repeat(plan.thoughts);
  const outputTokens = countOutput(plan);
  switch (plan.dialect) {
    case 'openai': {
      const message = { role: 'assistant', content: text, reasoning_content: thought };
      const usage = { prompt_tokens: plan.promptTokens, completion_tokens: outputTokens };
      return JSON.stringify({ id: 'u', choices: [{ index: 0, message, finish_reason: 'stop' }], usage });
    }
    case 'anthropic':
      return JSON.stringify({
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        stop_reason: 'end_turn',
        content: [
          ...(thought === '' ? [] : [{ type: 'thinking', thinking: thought, signature: 's' }]),
          { type: 'text', text },
        ],
        usage: { input_tokens: plan.promptTokens, output_tokens: outputTokens },
      });
    case 'gemini':
      return JSON.stringify({
        candidates: [
          {
            index: 0,
            content: { role: 'model', parts: [{ text: thought, thought: true }, { text }] },
            finishReason: 'STOP',
          },
        ],
        usageMetadata: toGeminiUsage(plan),
      });
  }
}

function countOutput({ hiddenTokens, thoughts, words }: Answer): number {
  return hiddenTokens + thoughts + words;
}

function toGeminiUsage({ promptTokens, hiddenTokens, thoughts, words }: Answer) {
  return {
    promptTokenCount: promptTokens,
    candidatesTokenCount: words,
    thoughtsTokenCount: hiddenTokens + thoughts,
    totalTokenCount: promptTokens + hiddenTokens + thoughts + words,
  };
}

const toData = (value: object) => `data: ${JSON.stringify(value)}\n\n`;

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request) text += String(piece);
  return text;
}
