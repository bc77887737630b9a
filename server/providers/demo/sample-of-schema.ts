import { isJsonObject } from '../../kernel/json-body.js';
import type { JsonObject } from '../chat-types.js';

const depthMax = 8;
/** Without it, a hundred required names in each of eight levels would make a hundred to the power of eight samples. */
const samplesMax = 200;

/**
 * Makes a value that fits a JSON schema in the simple cases: its required properties, the first of an `enum`, `text` for
 * strings. For the demo only; it validates nothing and reads no `$ref`.
 */
export function sampleOfSchema(schema: JsonObject, text: string): unknown {
  return sample(schema, { text, depth: 0, made: { samples: 0 } });
}

interface Sampling {
  readonly text: string;
  readonly depth: number;
  /** In the whole value. */
  readonly made: { samples: number };
}

function sample(schema: JsonObject, sampling: Sampling): unknown {
  const { text, depth, made } = sampling;
  made.samples += 1;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return text;
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    case 'array':
      return isJsonObject(schema.items) && depth < depthMax
        ? [sample(schema.items, { ...sampling, depth: depth + 1 })]
        : [];
    default:
      return sampleOfObject(schema, sampling);
  }
}

function sampleOfObject(schema: JsonObject, sampling: Sampling): Record<string, unknown> {
  const { text, depth, made } = sampling;
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : [];
  if (depth >= depthMax) return {};
  const entries: [string, unknown][] = [];
  for (const name of new Set(required)) {
    if (made.samples >= samplesMax) break;
    const property = Object.hasOwn(properties, name) ? properties[name] : null;
    if (!isJsonObject(property)) made.samples += 1;
    entries.push([name, isJsonObject(property) ? sample(property, { ...sampling, depth: depth + 1 }) : text]);
  }
  return Object.fromEntries(entries);
}
