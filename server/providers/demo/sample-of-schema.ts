import type { JsonObject } from '../chat-types.js';

const depthMax = 8;

/**
 * Makes a value that fits a JSON schema in the simple cases: its required properties, the first of an `enum`, `text` for
 * strings. For the demo only; it validates nothing and reads no `$ref`.
 */
export function sampleOfSchema(schema: JsonObject, text: string, depth = 0): unknown {
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
      return isSchema(schema.items) && depth < depthMax ? [sampleOfSchema(schema.items, text, depth + 1)] : [];
    default:
      return sampleOfObject(schema, text, depth);
  }
}

function sampleOfObject(schema: JsonObject, text: string, depth: number): Record<string, unknown> {
  const properties = isSchema(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required.map(String) : [];
  if (depth >= depthMax) return {};
  const entries = required.map((name): [string, unknown] => {
    const property = Object.hasOwn(properties, name) ? properties[name] : null;
    return [name, isSchema(property) ? sampleOfSchema(property, text, depth + 1) : text];
  });
  return Object.fromEntries(entries);
}

function isSchema(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
