export interface ChatSettings {
  readonly model: string;
  readonly system: string;
  /** null: the model's own. */
  readonly temperature: number | null;
  /** null: the model's own maximum. */
  readonly maxTokens: number | null;
  readonly isStreamed: boolean;
  /** A JSON schema that the answer keeps to, as text; empty: none. */
  readonly schema?: string;
  /** The tools that the model may ask for: a JSON list, as text; empty: none. */
  readonly tools?: string;
}

export interface ChatMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
  /** Pictures beside the words, as `data:` or `https:` addresses. */
  readonly images?: readonly string[];
}

/** The body of the request, as any client would send it. Schema and tools that are faulty are left out: ask for their faults first. */
export function toChatBody(settings: ChatSettings, messages: readonly ChatMessage[]): Record<string, unknown> {
  const { model, system, temperature, maxTokens, isStreamed } = settings;
  const schema = readJson(settings.schema ?? '');
  const tools = readJson(settings.tools ?? '');
  return {
    model,
    messages: [...(system.trim() === '' ? [] : [{ role: 'system', content: system }]), ...messages.map(toMessage)],
    ...(temperature === null ? {} : { temperature }),
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    ...(isObject(schema) ? { response_format: { type: 'json_schema', json_schema: toNamedSchema(schema) } } : {}),
    ...(Array.isArray(tools) ? { tools } : {}),
    ...(isStreamed ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

/** Why this text is no schema, in words for the reader; null for one that may be, and for none. */
export function findSchemaFault(text: string): string | null {
  if (text.trim() === '' || isObject(readJson(text))) return null;
  return 'Write one JSON object, such as {"type":"object","properties":{"city":{"type":"string"}}}.';
}

/** Why this text is no list of tools, in words for the reader; null for one that may be, and for none. */
export function findToolsFault(text: string): string | null {
  const tools = readJson(text);
  if (text.trim() === '' || (Array.isArray(tools) && tools.length > 0 && tools.every(isObject))) return null;
  return 'Write a JSON list of tools, such as [{"type":"function","function":{"name":"get_weather"}}].';
}

function toMessage({ role, content, images = [] }: ChatMessage): object {
  if (images.length === 0) return { role, content };
  const pictures = images.map((url) => ({ type: 'image_url', image_url: { url } }));
  return { role, content: [{ type: 'text', text: content }, ...pictures] };
}

// As a client sends it, with its name; or the schema alone, as people copy it.
function toNamedSchema(schema: Readonly<Record<string, unknown>>): object {
  return typeof schema.name === 'string' && isObject(schema.schema) ? schema : { name: 'answer', schema };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
