import type { FaultVerbs } from './fake-upstream-verbs.js';

/** What one piece of a streamed answer adds to its message; each counts as one token. */
export interface FakeDelta {
  readonly content?: string | null;
  readonly refusal?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly FakeToolPiece[];
  readonly images?: readonly { readonly type: 'image_url'; readonly image_url: { readonly url: string } }[];
}

interface FakeToolPiece {
  readonly index: number;
  readonly id?: string;
  readonly type?: 'function';
  readonly function: { readonly name?: string; readonly arguments: string };
}

const toolCall = (index: number, name: string, ...argumentPieces: string[]): FakeDelta[] => [
  { tool_calls: [{ index, id: `call_up_${index}`, type: 'function', function: { name, arguments: '' } }] },
  ...argumentPieces.map((text) => ({ tool_calls: [{ index, function: { arguments: text } }] })),
];

const texts = (...pieces: string[]): FakeDelta[] => pieces.map((content) => ({ content }));

const answers: Readonly<Record<string, readonly FakeDelta[]>> = {
  text: texts('Hello', ' from', ' upstream'),
  tool: toolCall(0, 'get_weather', '{"city":', '"Paris"}'),
  'two-tools': [
    ...toolCall(0, 'get_weather', '{"city":', '"Paris"}'),
    ...toolCall(1, 'get_weather', '{"city":"Oslo"}'),
  ],
  'bare-tool': toolCall(0, 'get_time'),
  json: texts('{"city":', '"Paris"}'),
  reasoning: [{ reasoning_content: 'Let me' }, { reasoning_content: ' think.' }, ...texts('Done')],
  image: [{ images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }] }],
  refusal: [{ refusal: 'I will' }, { refusal: ' not.' }],
};

/** The pieces of the answer that the verbs ask for: `says=WORD`, `tokens=N`, `words=N` or `big=N`, else three words. */
export function findDeltas(verbs: FaultVerbs): readonly FakeDelta[] {
  const big = verbs.get('big');
  if (big !== undefined) return texts('x'.repeat(Number(big)));
  const count = verbs.get('tokens');
  if (count !== undefined) return Array.from({ length: Number(count) }, (_, index) => ({ content: ` t${index}` }));
  const words = verbs.get('words');
  if (words !== undefined) return Array.from({ length: Number(words) }, () => ({ content: ' word' }));
  const says = verbs.get('says') ?? 'text';
  const answer = answers[says];
  if (answer === undefined) throw new Error(`The fake upstream cannot say ${says}.`);
  return answer;
}

/** The message that these pieces make, as a provider answers it whole. */
export function joinDeltas(deltas: readonly FakeDelta[]): Record<string, unknown> {
  const message: Record<string, unknown> = { role: 'assistant', content: null };
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = [];
  for (const { tool_calls: toolPieces = [], ...rest } of deltas) {
    for (const [field, piece] of Object.entries(rest)) {
      message[field] = typeof piece === 'string' ? `${message[field] ?? ''}${piece}` : piece;
    }
    for (const { index, id, function: target } of toolPieces) {
      calls[index] ??= { id: id ?? '', type: 'function', function: { name: target.name ?? '', arguments: '' } };
      calls[index].function.arguments += target.arguments;
    }
  }
  return calls.length === 0 ? message : { ...message, tool_calls: calls };
}

/** Why an answer of these pieces ends. */
export function findFinishReason(deltas: readonly FakeDelta[], isCut: boolean): string {
  if (isCut) return 'length';
  return deltas.some((delta) => delta.tool_calls !== undefined) ? 'tool_calls' : 'stop';
}
