import { isJsonObject, type JsonBody } from '../../kernel/json-body.js';
import { normaliseArguments } from '../json-object.js';

const fieldsOfCalls = ['index', 'id', 'type', 'function', 'custom', 'name', 'arguments'] as const;

/** The calls of a message or a delta, and what stands among them and is none. */
export interface ListedCalls {
  readonly calls: readonly JsonBody[];
  readonly others: readonly unknown[];
}

const noCalls: ListedCalls = { calls: [], others: [] };

/** Reads `tool_calls` in whatever form they come: a list, a single call without one, or calls under their numbers. */
export function listCalls(raw: unknown): ListedCalls {
  if (raw === undefined || raw === null) return noCalls;
  const items = toItems(raw);
  return { calls: items.filter(isJsonObject), others: items.filter((item) => !isJsonObject(item)) };
}

function toItems(raw: unknown): readonly unknown[] {
  if (Array.isArray(raw)) return raw;
  if (!isJsonObject(raw)) return [raw];
  if (fieldsOfCalls.some((field) => raw[field] !== undefined)) return [raw];
  return Object.entries(raw).map(([key, call]) =>
    isJsonObject(call) && call.index === undefined && /^\d{1,6}$/.test(key) ? { ...call, index: Number(key) } : call,
  );
}

/** The name of a call, or of a piece of one, and its arguments as the text that they are on OpenAI's wire; '' where there are none. */
export function readCallTarget(call: JsonBody): { readonly name: string; readonly arguments: string } {
  const target = [call.function, call.custom].find(isJsonObject) ?? call;
  const name = [target.name, call.function].find((text) => typeof text === 'string');
  return {
    name: typeof name === 'string' ? name : '',
    arguments: normaliseArguments(target.arguments ?? target.input ?? target.args),
  };
}
