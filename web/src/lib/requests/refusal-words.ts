export interface RefusalWords {
  /** Why the request was refused, as a short sentence without its full stop. */
  readonly cause: string;
  /** Where one mends it, and the word for the link there. */
  readonly fix: {
    readonly words: string;
    readonly place: 'credits' | 'keys' | 'members' | 'models' | 'docs' | 'settings';
  };
}

const buy = { words: 'Buy credits', place: 'credits' } as const;
const changeKey = { words: 'Change the key', place: 'keys' } as const;
const seeModels = { words: 'See the models', place: 'models' } as const;
const readDocs = { words: 'Read the docs', place: 'docs' } as const;

const wordsOfCode: Readonly<Record<string, RefusalWords>> = {
  insufficient_quota: { cause: 'The balance did not cover the most that the call could cost', fix: buy },
  credits_reserved: { cause: 'Running calls had reserved the credits', fix: buy },
  key_limit_exceeded: { cause: 'The key’s budget was used up', fix: changeKey },
  member_budget_exceeded: {
    cause: 'The monthly budget of the member who made the key was used up',
    fix: { words: 'See the members', place: 'members' },
  },
  rate_limit_exceeded: {
    cause: 'Too many requests or tokens in a minute, for the account or this key',
    fix: { words: 'See your limits', place: 'settings' },
  },
  concurrency_limit_exceeded: { cause: 'Too many calls at once', fix: readDocs },
  model_not_found: { cause: 'There is no model with this name', fix: seeModels },
  model_not_allowed: { cause: 'The key may not use this model', fix: changeKey },
  provider_not_allowed: { cause: 'The key may not use this provider', fix: changeKey },
  ip_not_authorized: { cause: 'The address is not on the key’s IP allow-list', fix: changeKey },
  missing_scope: { cause: 'The key does not have permission for this', fix: changeKey },
  context_length_exceeded: { cause: 'The conversation is too long for the model', fix: seeModels },
  request_too_large: { cause: 'The request was too large', fix: readDocs },
  invalid_json: { cause: 'The body was not valid JSON', fix: readDocs },
  missing_required_parameter: { cause: 'A required field was missing', fix: readDocs },
  invalid_type: { cause: 'A field had a value of the wrong type', fix: readDocs },
  invalid_value: { cause: 'A field had a value that is not allowed', fix: readDocs },
  unsupported_media_type: { cause: 'The body was not sent as uncompressed JSON', fix: readDocs },
  unsupported_endpoint: { cause: 'There is no such endpoint', fix: readDocs },
  maintenance: { cause: 'New calls were refused during maintenance', fix: readDocs },
  unsupported_parameter: { cause: 'A field is not supported', fix: readDocs },
  unsupported_value: { cause: 'The model does not support what was asked', fix: seeModels },
  idempotency_key_in_use: { cause: 'A request with the same Idempotency-Key was still running', fix: readDocs },
  idempotency_key_reused: { cause: 'The Idempotency-Key was used for another request', fix: readDocs },
  settlement_in_doubt: { cause: 'The call could not be recorded, because the database and disk failed', fix: readDocs },
  provider_unavailable: { cause: 'No provider of the model was available', fix: seeModels },
};

/** What a refusal means and how it is mended, by its code and status. There are words for every code. */
export function refusalWords(code: string, status: number): RefusalWords {
  const known = Object.hasOwn(wordsOfCode, code) ? wordsOfCode[code] : undefined;
  if (known !== undefined) return known;
  if (status >= 500) return { cause: 'The server or its providers could not accept the request', fix: seeModels };
  return { cause: 'The request had a field that is not allowed', fix: readDocs };
}
