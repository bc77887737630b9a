import {
  plainAnswer,
  streamedData,
  textBlock,
  thinkingBlock,
  toolBlock,
} from './provider-contracts/anthropic-answers.js';
import { answer } from './provider-contracts/gemini-answers.js';
import { SeededChoices } from './seeded-choices.js';

/** Stands in every text that the model made, so that it is known wherever it ends up. */
export const made = 'Glimmer';

export type Dialect = 'openai' | 'anthropic' | 'gemini';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const usages: Readonly<Record<Dialect, Json>> = {
  openai: { prompt_tokens: 25, completion_tokens: 9, total_tokens: 34 },
  anthropic: { input_tokens: 25, output_tokens: 9 },
  gemini: { promptTokenCount: 25, candidatesTokenCount: 9, totalTokenCount: 34 },
};

const call = { id: 'call_a', type: 'function', function: { name: 'look', arguments: `{"at":"${made}"}` } };
const head = { id: 'theirs', created: 1, model: 'theirs', system_fingerprint: 'fp_1' };
const anthropicEnd = { stopReason: 'end_turn', inputTokens: 25, outputTokens: 9 } as const;
const anthropicBlocks = [
  thinkingBlock('c2lnbmVk', `${made} `, 'thought'),
  textBlock(`${made} `, 'and more'),
  toolBlock('toolu_a', 'look', { at: made }, '{"at":', `"${made}"}`),
];
const geminiParts = [
  { text: `${made} thought`, thought: true },
  { text: `${made} and more` },
  { functionCall: { id: 'c', name: 'look', args: { at: made } } },
];

/** Recorded answers: of words, of a call, of thoughts, and of nothing at all; plain ones have one item, streams the data of each event. */
const recorded: Readonly<
  Record<Dialect, { readonly plain: readonly unknown[]; readonly streams: readonly unknown[][] }>
> = {
  openai: {
    plain: [
      toPlain({ content: `${made} and more`, refusal: null }),
      toPlain({ content: null, tool_calls: [call] }),
      toPlain({ content: `${made}.`, reasoning_content: `${made} thought`, annotations: [] }),
      toPlain({ content: '' }),
    ],
    streams: [
      toStream({ content: `${made} ` }, { content: 'and ' }, { content: 'more' }),
      toStream({ tool_calls: [{ index: 0, ...call }] }, { tool_calls: [{ index: 0, function: { arguments: '' } }] }),
      toStream({ reasoning_content: `${made} ` }, { content: `${made}.` }),
      toStream({ content: '' }),
    ],
  },
  anthropic: {
    plain: [plainAnswer(anthropicBlocks, anthropicEnd), plainAnswer([], anthropicEnd)],
    streams: [
      streamedData(anthropicBlocks, anthropicEnd),
      streamedData([textBlock(`${made} `, 'and', ' more')], anthropicEnd),
      streamedData([], anthropicEnd),
    ],
  },
  gemini: {
    plain: [answer(geminiParts), answer([{ text: `${made}.` }]), answer([{ text: '' }])],
    streams: [geminiParts.map((part) => answer([part])), [answer([{ text: '' }])]],
  },
};

/** Recorded answers of embeddings to two texts, as numbers and as base64. */
const recordedVectors: Readonly<Partial<Record<Dialect, readonly unknown[]>>> = {
  openai: [
    toVectors([0.5, 0.25, -0.125], [1, 2e-3, 3]),
    toVectors(...[1, 2].map((first) => Buffer.from(Float32Array.of(first, 0.5, 0.25).buffer).toString('base64'))),
  ],
  gemini: [{ embeddings: [{ values: [0.5, 0.25, -0.125] }, { values: [1, 0, 3] }] }],
};

function toVectors(...vectors: readonly unknown[]): object {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  return { object: 'list', model: 'theirs', data };
}

function toPlain(message: object): object {
  const choices = [{ index: 0, message: { role: 'assistant', ...message }, logprobs: null, finish_reason: 'stop' }];
  return { ...head, object: 'chat.completion', choices };
}

function toStream(...deltas: readonly object[]): object[] {
  const toChunk = (delta: object, finish_reason: string | null) => ({
    ...{ ...head, object: 'chat.completion.chunk' },
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    ...[{ role: 'assistant', content: '' }, ...deltas].map((delta) => toChunk(delta, null)),
    toChunk({}, 'stop'),
    { ...head, object: 'chat.completion.chunk', choices: [] },
  ];
}

const names = [
  ...'content text message delta tool_calls function arguments name reasoning refusal audio images parts role type'.split(
    ' ',
  ),
  ...'input thinking partial_json content_block executableCode inlineData answer output 0 choices candidates'.split(
    ' ',
  ),
];

/**
 * Makes answers that no provider has documented out of recorded ones: what a field holds has another type, another name or another place,
 * stands twice, or in a list or an object of its own. The same seed gives the same ones.
 */
export class OddAnswers {
  readonly #choices: SeededChoices;

  constructor(
    seed: number,
    private readonly dialect: Dialect,
  ) {
    this.#choices = new SeededChoices(seed);
  }

  /** The text of one answer, and whether its provider was to say what it used. */
  next(isStreamed: boolean): { readonly body: string; readonly hasUsage: boolean } {
    const { plain, streams } = recorded[this.dialect];
    const whole = isStreamed ? this.#choices.oneOf(streams) : [this.#choices.oneOf(plain)];
    const hasUsage = this.#choices.chance(50);
    const events = (structuredClone(whole) as Json[]).map((event) => setUsage(event, this.dialect, hasUsage));
    const root: { events: Json } = { events };
    const changes = 1 + this.#choices.below(3);
    for (let change = 0; change < changes; change += 1) this.#change(root);
    const items = Array.isArray(root.events) ? root.events : [root.events ?? null];
    if (!isStreamed) return { body: JSON.stringify(items[0] ?? null), hasUsage };
    const written = items.map((item) => `data: ${JSON.stringify(item)}\n\n`).join('');
    return { body: this.dialect === 'openai' ? `${written}data: [DONE]\n\n` : written, hasUsage };
  }

  /** As `next`, of embeddings to two texts, of a dialect that has some. */
  nextVectors(): { readonly body: string; readonly hasUsage: boolean } {
    const hasUsage = this.#choices.chance(50);
    const answer = structuredClone(this.#choices.oneOf(recordedVectors[this.dialect] ?? [])) as Json;
    const root = { events: setUsage(answer, this.dialect, hasUsage) };
    for (let left = this.#choices.below(3); left >= 0; left -= 1) this.#change(root);
    return { body: JSON.stringify(root.events ?? null), hasUsage };
  }

  #change(root: { events: Json }): void {
    const places = listPlaces(root.events);
    if (places.length === 0) return;
    const { holder, key, value } = this.#choices.oneOf(places);
    const set = (name: string, changed: Json) => void Object.assign(holder, { [name]: changed });
    const changes: readonly (() => void)[] = [
      () => set(key, this.#otherType(value)),
      () => this.#rename(holder, key, value),
      () => this.#move(holder, key, value, places),
      () => {
        if (Array.isArray(holder)) holder.splice(Number(key), 0, structuredClone(value));
        else set(this.#choices.oneOf(names), structuredClone(value));
      },
      () => set(key, [value]),
      () => set(key, { [this.#choices.oneOf(names)]: value }),
      () => set(key, Array.isArray(value) ? { ...value } : toList(value)),
    ];
    this.#choices.oneOf(changes)();
  }

  #rename(holder: Json[] | { [name: string]: Json }, key: string, value: Json): void {
    if (Array.isArray(holder)) return;
    delete holder[key];
    holder[this.#choices.oneOf(names)] = value;
  }

  #move(
    holder: Json[] | { [name: string]: Json },
    key: string,
    value: Json,
    places: readonly { readonly value: Json }[],
  ): void {
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
    const inside = JSON.stringify(value);
    const homes = places.filter(
      (place) => typeof place.value === 'object' && !inside.includes(JSON.stringify(place.value)),
    );
    if (homes.length === 0) return;
    const { value: home } = this.#choices.oneOf(homes);
    if (Array.isArray(home)) home.push(value);
    else if (home !== null) Object.assign(home, { [key]: value });
  }

  #otherType(value: Json): Json {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const others: readonly Json[] = [
      true,
      false,
      null,
      0,
      7,
      1e300,
      '',
      [],
      {},
      text,
      [text],
      { text },
      { value: text },
    ];
    return this.#choices.oneOf(others);
  }
}

function toList(value: Json): Json {
  return typeof value === 'object' && value !== null ? Object.values(value) : { value };
}

interface Place {
  readonly holder: Json[] | { [name: string]: Json };
  readonly key: string;
  readonly value: Json;
}

// Beside the counts, which are changed in suites of their own.
function listPlaces(value: Json): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([key]) => !/usage/i.test(key))
    .flatMap(([key, member]) => [{ holder: value, key, value: member }, ...listPlaces(member)]);
}

function setUsage(event: Json, dialect: Dialect, hasUsage: boolean): Json {
  if (typeof event !== 'object' || event === null || Array.isArray(event)) return event;
  const { usage: known, usageMetadata: _, ...rest } = event;
  const isCounting = dialect === 'gemini' || (dialect === 'anthropic' ? known !== undefined : isLast(rest));
  if (event.message !== undefined && dialect === 'anthropic' && !hasUsage)
    Object.assign(event.message as object, { usage: null });
  if (!hasUsage || !isCounting) return rest;
  // Its own, since what stands around it may be changed.
  const usage = structuredClone(usages[dialect]);
  return dialect === 'gemini' ? { ...rest, usageMetadata: usage } : { ...rest, usage };
}

function isLast({ choices, object }: { [name: string]: Json }): boolean {
  return object === 'chat.completion' || object === 'list' || (Array.isArray(choices) && choices.length === 0);
}
