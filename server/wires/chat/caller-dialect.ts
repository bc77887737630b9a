import type { ChatCompletion, ChatCompletionChunk, ToolCall, ToolCallDelta } from '../../providers/chat-types.js';

/** In what a caller's way of speaking of tools differs from the present one; the answer has to speak the same way. */
export interface CallerDialect {
  /** The caller sent `functions` or `function_call`, which were there before `tools`. */
  readonly usesFunctions: boolean;
  /** Names of custom tools, whose input is one text instead of JSON. */
  readonly customTools: ReadonlySet<string>;
}

/** Translates the tool calls of one answer back into its caller's dialect. Not made for the callers who have none. */
export class CallerTranslator {
  /** Of a stream: what has come of each call of a custom tool, by choice and index. It can be told only when it is whole. */
  readonly #customCalls = new Map<string, { readonly id: string; readonly name: string; arguments: string }>();

  /** @returns null for a caller who speaks as we do. */
  static create(dialect: CallerDialect): CallerTranslator | null {
    return dialect.usesFunctions || dialect.customTools.size > 0 ? new CallerTranslator(dialect) : null;
  }

  private constructor(private readonly dialect: CallerDialect) {}

  /** Changes a whole answer in place. */
  translateCompletion(completion: ChatCompletion): void {
    for (const choice of completion.choices) {
      const { tool_calls: calls, ...message } = choice.message;
      if (calls === undefined) continue;
      if (!this.dialect.usesFunctions) {
        choice.message = { ...message, tool_calls: calls.map((call) => this.#toCallerCall(call) as ToolCall) };
        continue;
      }
      choice.message = { ...message, function_call: calls[0]?.function };
      if (choice.finish_reason === 'tool_calls') choice.finish_reason = 'function_call';
    }
  }

  /** Changes one piece of a streamed answer in place. */
  translateChunk(chunk: ChatCompletionChunk): void {
    for (const choice of chunk.choices) {
      const { tool_calls: pieces, ...delta } = choice.delta;
      if (this.dialect.usesFunctions) {
        const piece = pieces?.find(({ index }) => index === 0);
        if (pieces) choice.delta = { ...delta, ...(piece?.function ? { function_call: piece.function } : {}) };
        if (choice.finish_reason === 'tool_calls') choice.finish_reason = 'function_call';
        continue;
      }
      const kept = (pieces ?? []).filter((piece) => !this.#keepCustom(choice.index, piece));
      const finished = choice.finish_reason === null ? [] : this.#finishCustom(choice.index);
      const told = [...kept, ...finished];
      if (pieces || told.length > 0) choice.delta = told.length > 0 ? { ...delta, tool_calls: told } : delta;
    }
  }

  #keepCustom(choiceIndex: number, { index, id, function: target }: ToolCallDelta): boolean {
    const place = `${choiceIndex} ${index}`;
    const known = this.#customCalls.get(place);
    if (known) known.arguments += target?.arguments ?? '';
    else if (id && target?.name && this.dialect.customTools.has(target.name)) {
      this.#customCalls.set(place, { id, name: target.name, arguments: target.arguments ?? '' });
    } else return false;
    return true;
  }

  #finishCustom(choiceIndex: number): ToolCallDelta[] {
    return [...this.#customCalls].flatMap(([place, { id, name, arguments: text }]) => {
      const [choice, index] = place.split(' ').map(Number);
      if (choice !== choiceIndex || index === undefined) return [];
      const custom = { name, input: readCustomInput(text) };
      return [{ index, id, type: 'custom', custom } as unknown as ToolCallDelta];
    });
  }

  #toCallerCall(call: ToolCall): object {
    const { id, function: target } = call;
    if (!this.dialect.customTools.has(target.name)) return call;
    return { id, type: 'custom', custom: { name: target.name, input: readCustomInput(target.arguments) } };
  }
}

// A model that forgot the frame meant its text as it stands.
export function readCustomInput(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const input = typeof value === 'object' && value !== null && 'input' in value ? value.input : undefined;
    return typeof input === 'string' ? input : text;
  } catch {
    return text;
  }
}
