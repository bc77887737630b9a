import { z } from 'zod';
import { chatParams } from '../chat-request-shape.js';

const tokens = z.int().min(1).max(100_000_000);
const images = z.strictObject({ low: tokens, high: tokens });
const address = z
  .string()
  .regex(/^https?:\/\/[^@\s]+$/, 'must be an http(s) address without user and password')
  .transform((text) => text.replace(/\/+$/, ''));
const headerName = z.string().regex(/^[a-z][a-z0-9-]*$/, 'must be the name of a header in lower case');
const headerValue = z.string().regex(/^[\x20-\x7e]*$/, 'must be printable ASCII');

const param = z.enum(chatParams);

const dialectShape = z.strictObject({
  path: z
    .string()
    .regex(/^\/\S*$/, 'must begin with a slash')
    .optional(),
  keyHeader: headerName.optional(),
  keyScheme: headerValue.optional(),
  staticHeaders: z.record(headerName, headerValue).optional(),
  usageMode: z.enum(['include_usage', 'unasked', 'continuous']).optional(),
  maxTokensField: z.enum(['max_tokens', 'max_completion_tokens', 'by_model']).optional(),
  roles: z.partialRecord(z.enum(['developer', 'system']), z.string().min(1)).optional(),
  isAuthorNameKnown: z.boolean().optional(),
  reasoningField: z.enum(['reasoning_content', 'reasoning']).nullable().optional(),
  isReasoningNeeded: z.boolean().optional(),
  callIds: z.enum(['any', 'nine_characters']).optional(),
  thoughtSignatures: z.enum(['by_address', 'sent', 'left_out']).optional(),
  reasoningTokens: z.enum(['by_address', 'in_completion', 'beside_completion']).optional(),
  droppedParams: z.array(param).optional(),
  refusedParams: z.array(param).optional(),
  renamedParams: z.partialRecord(param, z.string().min(1)).optional(),
});

/** One entry of `providers`. */
export const providerShape = z.strictObject({
  adapter: z.string().optional(),
  name: z.string().min(1).max(60).optional(),
  baseUrl: address.optional(),
  apiKey: headerValue.min(1, 'must not be empty; leave it out for a provider without a key').optional(),
  dialect: dialectShape.optional(),
  stopsOnAbort: z.boolean().optional(),
});

const routeName = z
  .string()
  .regex(/^[a-z][a-z0-9-]*\/\S+$/, 'must be provider/model, in the provider’s own name of it');

/** One entry of `models`. */
export const modelShape = z.strictObject({
  tier: z.string(),
  maxOutputTokens: tokens.optional(),
  contextTokens: tokens.optional(),
  images: z.union([images, z.literal('none')]).optional(),
  embedding: z.strictObject({ dimensionsMax: z.int().min(1).max(8_192) }).optional(),
  capabilities: z
    .strictObject({
      tools: z.boolean().optional(),
      jsonSchema: z.boolean().optional(),
      reasoning: z.boolean().optional(),
    })
    .optional(),
  routes: z
    .array(
      z.union([
        routeName,
        z.strictObject({ to: routeName, maxOutputTokens: tokens.optional(), images: images.optional() }),
      ]),
    )
    .min(1)
    .max(50),
});

const dollars = z
  .number()
  .min(0)
  .max(10_000, 'must be dollars for a million tokens, at most 10000')
  .refine(
    (value) => Math.abs(value * 1_000_000 - Math.round(value * 1_000_000)) < 0.001,
    'must have at most six decimals',
  );

/** What a provider takes of the operator at each of these routes, in dollars for a million tokens. */
export const costsShape = z.record(routeName, z.strictObject({ input: dollars, output: dollars.default(0) }));

/** The file as a whole; its entries are checked one by one, so that a fault in one hides none in another. */
export const fileShape = z.strictObject({
  builtInModels: z.boolean().default(true),
  tiers: z
    .record(
      z.string().regex(/^[a-z][a-z0-9-]{0,23}$/, 'must be lower-case letters, digits and hyphens, at most 24'),
      z.int().min(1).max(1_000_000),
    )
    .default({}),
  providers: z
    .record(
      z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits and hyphens, at most 40'),
      z.unknown(),
    )
    .default({}),
  models: z
    .record(
      z.string().regex(/^[A-Za-z0-9][\w.:-]{0,99}$/, 'must be letters, digits and . _ : - (a slash is for pins)'),
      z.unknown(),
    )
    .default({}),
  costs: costsShape.default({}),
});

/** One fault in words: where it is, what is wrong, what to do. Never quotes a value, which may be a key. */
export function describeFileIssue(issue: z.core.$ZodIssue, parent: readonly string[]): string {
  const path = [...parent, ...issue.path.map(String)].join('.') || 'the file';
  if (issue.code === 'unrecognized_keys') {
    return `${path}: nothing here is called ${issue.keys.join(', ')}; take it out, or see docs/providers.md`;
  }
  if (issue.code === 'invalid_key') return `${path}: the name ${issue.issues[0]?.message ?? 'is not allowed'}`;
  if (issue.code === 'invalid_union') return `${path}: is none of the forms that docs/providers.md shows`;
  return `${path}: ${issue.message}`;
}
