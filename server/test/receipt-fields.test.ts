import { getMetadataArgsStorage } from 'typeorm';
import { columnNameOf } from '../database/columns.js';
import { buildGraphqlSchema } from '../graphql/graphql-schema.js';
import { resolverClasses } from '../graphql/resolvers.js';
import { openapiDocument } from '../http/callers/openapi-document.js';
import { callColumns } from '../http/exports/export-rows.js';
import { CallRecordEntity } from '../ledger/tables/call-record.entity.js';
import { columnsOf } from '../ledger/tables/ledger-columns.js';
import type { CallRecord } from '../usage/requests/call-reader.js';
import { toCallEvent } from '../webhooks/call-messages.js';

/** Under which name each door shows a column of a receipt; null: it does not. */
interface Names {
  /** `GET /calls/{id}`. */
  readonly json: string | null;
  /** The type `Call`. */
  readonly graphql: string | null;
  /** `calls.csv`. */
  readonly csv: string | null;
  /** Messages to webhook endpoints. */
  readonly webhook: string | null;
}

const row = (json: string | null, graphql: string | null, csv: string | null, webhook: string | null): Names => ({
  json,
  graphql,
  csv,
  webhook,
});

/** A new column has a line here, or this suite fails; `docs/architecture.md` says what else it takes. */
const fields: Readonly<Record<(typeof columnsOf.call_record)[number], Names>> = {
  call_id: row('id', 'id', 'id', 'id'),
  // Whoever reads a receipt has asked for this account's.
  account_id: row(null, null, null, null),
  key_id: row(null, 'apiKey', 'api_key_id', 'apiKeyId'),
  model: row('model', 'model', 'model', 'model'),
  provider: row('provider', 'provider', 'provider', 'provider'),
  tier: row('tier', 'tier', 'tier', null),
  millicredits_per_token: row('credits_per_1000_tokens', 'creditsPerThousandTokens', 'credits_per_1000_tokens', null),
  is_streamed: row('stream', 'streamed', 'streamed', 'isStreamed'),
  outcome: row('outcome', 'outcome', 'outcome', 'outcome'),
  error_code: row('error_code', 'errorCode', 'error_code', 'errorCode'),
  finish_reason: row('finish_reason', 'finishReason', 'finish_reason', 'finishReason'),
  usage_source: row('usage.source', 'usageSource', 'usage_source', 'usageSource'),
  prompt_tokens: row('usage.prompt_tokens', 'promptTokens', 'prompt_tokens', 'promptTokens'),
  completion_tokens: row('usage.completion_tokens', 'completionTokens', 'completion_tokens', 'completionTokens'),
  held_millicredits: row('credits_held', 'held', 'credits_held', null),
  charged_millicredits: row('credits_charged', 'charged', 'credits_charged', 'chargedCredits'),
  absorbed_millicredits: row('credits_absorbed', 'absorbed', 'credits_absorbed', null),
  started_at_ms: row('started_at', 'startedAt', 'started_at', 'startedAt'),
  first_byte_ms: row('first_byte_ms', 'firstByteMs', 'first_byte_ms', 'firstByteMs'),
  total_ms: row('total_ms', 'totalMs', 'total_ms', 'totalMs'),
  attempts: row('attempts', 'attempts', null, null),
  estimate_parts: row('usage.estimate', 'estimateParts', null, null),
  tag: row('tag', 'tag', 'tag', 'tag'),
  end_user: row('end_user', 'endUser', 'end_user', 'endUser'),
  cached_tokens: row('usage.cached_tokens', 'cachedTokens', 'cached_tokens', 'cachedTokens'),
  reasoning_tokens: row('usage.reasoning_tokens', 'reasoningTokens', 'reasoning_tokens', 'reasoningTokens'),
  // How it was booked, which changes nothing for its account.
  lease: row(null, null, null, null),
  balance_after: row('credits_after', 'balanceAfter', null, null),
  price_multiplier: row('price_multiplier', 'priceMultiplier', 'price_multiplier', null),
};

/** What a door shows beside the columns. */
const derived: Names[] = [row('object', null, null, 'type'), row('usage.total_tokens', null, null, null)];

const namesOf = (door: keyof Names) =>
  [...Object.values(fields), ...derived].flatMap((names) => names[door] ?? []).toSorted();

describe('Every column of a receipt', () => {
  it('is a column of its table, and is written by the ledger', () => {
    const { columns } = getMetadataArgsStorage();
    const ofTable = columns.filter(({ target }) => target === CallRecordEntity);
    const names = ofTable.map(({ options, propertyName }) => options.name ?? columnNameOf(propertyName));
    expect(names.toSorted()).toEqual(Object.keys(fields).toSorted());
    expect(columnsOf.call_record.toSorted()).toEqual(Object.keys(fields).toSorted());
  });

  it('is shown by `GET /calls/{id}` as the table says, and nothing else is', () => {
    const { Receipt } = openapiDocument.components.schemas as unknown as Record<'Receipt', ObjectShape>;
    expect(listProperties(Receipt).toSorted()).toEqual(namesOf('json'));
  });

  it('is shown by the type `Call` as the table says, and nothing else is', () => {
    const type = buildGraphqlSchema(resolverClasses, new Map()).getType('Call');
    const shown = Object.keys((type as unknown as { getFields(): object }).getFields());
    expect(shown.toSorted()).toEqual(namesOf('graphql'));
  });

  it('is shown by the export of calls as the table says, and nothing else is', () => {
    expect(callColumns.toSorted()).toEqual(namesOf('csv'));
  });

  it('is told to webhook endpoints as the table says, and nothing else is', () => {
    const event = toCallEvent({ startedAtMs: 0, chargedMillicredits: 0 } as CallRecord);
    expect(Object.keys(event).toSorted()).toEqual(namesOf('webhook'));
  });
});

interface ObjectShape {
  readonly properties: Readonly<Record<string, Partial<ObjectShape>>>;
}

// `usage` alone has fields that are columns of their own.
function listProperties({ properties }: ObjectShape): string[] {
  return Object.entries(properties).flatMap(([name, { properties: inner = {} }]) =>
    name === 'usage' ? Object.keys(inner).map((field) => `usage.${field}`) : [name],
  );
}
