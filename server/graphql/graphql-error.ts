import { randomUUID } from 'node:crypto';
import { unwrapResolverError } from '@apollo/server/errors';
import type { ValidationError } from 'class-validator';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { ArgumentValidationError } from 'type-graphql';
import { findDatabaseAway, tellDatabaseAway } from '../database/database-errors.js';
import { AppError, type ErrorCode } from '../kernel/app-error.js';
import type { Logger } from '../kernel/logger.js';

/** What `extensions.code` of an error may say. */
export type GraphqlCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'BAD_USER_INPUT'
  | 'CONFLICT'
  | 'RATE_LIMITED'
  | 'INTERNAL';

const graphqlCodes: Readonly<Record<ErrorCode, GraphqlCode>> = {
  invalid_json: 'BAD_USER_INPUT',
  missing_required_parameter: 'BAD_USER_INPUT',
  invalid_type: 'BAD_USER_INPUT',
  invalid_value: 'BAD_USER_INPUT',
  unsupported_parameter: 'BAD_USER_INPUT',
  unsupported_value: 'BAD_USER_INPUT',
  missing_api_key: 'UNAUTHENTICATED',
  invalid_api_key: 'UNAUTHENTICATED',
  insufficient_quota: 'CONFLICT',
  credits_reserved: 'CONFLICT',
  key_limit_exceeded: 'CONFLICT',
  member_budget_exceeded: 'CONFLICT',
  missing_scope: 'FORBIDDEN',
  session_required: 'FORBIDDEN',
  role_required: 'FORBIDDEN',
  second_factor_required: 'UNAUTHENTICATED',
  fresh_factor_required: 'FORBIDDEN',
  beyond_own_permissions: 'FORBIDDEN',
  session_of_another: 'CONFLICT',
  model_not_allowed: 'FORBIDDEN',
  provider_not_allowed: 'FORBIDDEN',
  ip_not_authorized: 'FORBIDDEN',
  model_not_found: 'NOT_FOUND',
  unknown_url: 'NOT_FOUND',
  unsupported_endpoint: 'NOT_FOUND',
  method_not_supported: 'BAD_USER_INPUT',
  request_too_large: 'BAD_USER_INPUT',
  unsupported_media_type: 'BAD_USER_INPUT',
  rate_limit_exceeded: 'RATE_LIMITED',
  concurrency_limit_exceeded: 'RATE_LIMITED',
  idempotency_key_in_use: 'CONFLICT',
  idempotency_key_reused: 'CONFLICT',
  provider_rejected: 'INTERNAL',
  provider_rate_limited: 'INTERNAL',
  provider_unavailable: 'INTERNAL',
  provider_error: 'INTERNAL',
  provider_overloaded: 'INTERNAL',
  provider_timeout: 'INTERNAL',
  model_error: 'INTERNAL',
  service_unavailable: 'INTERNAL',
  settlement_in_doubt: 'INTERNAL',
  maintenance: 'INTERNAL',
  internal_error: 'INTERNAL',
  unauthenticated: 'UNAUTHENTICATED',
  forbidden: 'FORBIDDEN',
  not_found: 'NOT_FOUND',
  conflict: 'CONFLICT',
};

const messageCharactersMax = 500;

// Faults of the document itself, which Apollo words and codes well.
const documentFaults: ReadonlySet<unknown> = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'PERSISTED_QUERY_NOT_SUPPORTED',
  'BAD_REQUEST',
  'BAD_USER_INPUT',
]);

/**
 * Makes the last function that an error passes on its way out. What is not known to be meant for the caller is logged
 * and goes out as `INTERNAL` with an id to quote; so no stack, query or value of ours gets out.
 */
export function createErrorFormatter(logger: Logger) {
  return (formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError => {
    const original = findOriginal(error);
    if (original instanceof AppError) {
      const { code, innerReason } = original;
      if (innerReason !== null) logger.warn('graphql_refused', { code, innerReason, path: formatted.path?.join('.') });
      return { ...placeOf(formatted), ...describeAppError(original) };
    }
    if (original instanceof ArgumentValidationError) {
      return { ...placeOf(formatted), ...describeInvalidField(original.extensions.validationErrors) };
    }
    const away = findDatabaseAway(original);
    if (away !== null) {
      tellDatabaseAway(logger, away);
      return { ...placeOf(formatted), ...describeAppError(away) };
    }
    const code = formatted.extensions?.code;
    if (documentFaults.has(code)) {
      const message = withoutValues(formatted.message);
      const field = code === 'BAD_USER_INPUT' ? findNamedField(message) : null;
      return {
        ...placeOf(formatted),
        message: shorten(message),
        extensions: { code, ...(field !== null && { field }) },
      };
    }
    const requestId = `req_${randomUUID()}`;
    logger.error('graphql_failed', { requestId, path: formatted.path?.join('.'), error: original });
    const message = `Something went wrong on our side. Try again; if it stays, report the id ${requestId}.`;
    return { ...placeOf(formatted), message, extensions: { code: 'INTERNAL' satisfies GraphqlCode, requestId } };
  };
}

// What a resolver throws has a path; what is thrown before anything runs has none, and Apollo would keep it wrapped.
function findOriginal(error: unknown): unknown {
  const wrapped = error instanceof GraphQLError ? error.originalError : undefined;
  return wrapped instanceof AppError ? wrapped : unwrapResolverError(error);
}

// From its beginning, where nothing but words of graphql-js stand: looked for anywhere, a long text of quotes would take seconds.
const placedValue =
  /^((?:Variable "\$\w+" got an invalid value(?: at "[\w.[\]]+")?\. )?)Value "[\s\S]*" does not exist in /;

// graphql-js quotes what it was sent, and a whole input with its password at that. The reason says enough without it.
function withoutValues(message: string): string {
  return message
    .replace(/^(Variable "\$\w+") got invalid value [\s\S]*( at "[\w.[\]]+"); /, '$1 got an invalid value$2. ')
    .replace(/^(Variable "\$\w+") got invalid value [\s\S]*; /, '$1 got an invalid value. ')
    .replace(/ value: [\s\S]*$/, ' value.')
    .replace(/ found (Block)?String "[\s\S]*$/, ' found a text.')
    .replace(placedValue, '$1This value does not exist in ');
}

/** The field of an input that graphql-js found at fault before anything ran, by its words without values; null: it names none. */
function findNamedField(message: string): string | null {
  const [, named] = /\. Field "(\w+)" (?:of required type|is not defined) /.exec(message) ?? [];
  const [, place] = /^Variable "\$\w+" got an invalid value at "\w+(\.[\w.[\]]+)"\. /.exec(message) ?? [];
  return (
    named ??
    place
      ?.replaceAll(/\[\d+\]/g, '')
      .split('.')
      .at(-1) ??
    null
  );
}

// It may name what was asked for, and that may be as long as the whole request.
function shorten(message: string): string {
  return message.length > messageCharactersMax ? `${message.slice(0, messageCharactersMax)}…` : message;
}

function placeOf({ locations, path }: GraphQLFormattedError) {
  return { ...(locations && { locations }), ...(path && { path }) };
}

/** What a caller is told of a refusal. */
export function describeAppError(error: AppError) {
  const { code: reason, param, retryAfterMs } = error;
  const code = graphqlCodes[reason];
  return {
    message: error.message,
    extensions: {
      code,
      reason,
      ...(param !== null && { field: param }),
      ...(retryAfterMs !== null && { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) }),
      ...error.metadata,
    },
  };
}

// class-validator hangs the whole input, passwords included, on its errors: only the field and the rule are taken.
function describeInvalidField(errors: readonly ValidationError[]) {
  let [fault] = errors;
  let field = fault?.property;
  // Of an input within an input the outer one says only that something is wrong in it.
  while (fault !== undefined && fault.constraints === undefined) {
    fault = fault.children?.[0];
    // What lies in a list is named by its place there.
    if (fault && !/^\d+$/.test(fault.property)) field = fault.property;
  }
  const rule = Object.values(fault?.constraints ?? {})[0] ?? 'The input is not valid.';
  const code = 'BAD_USER_INPUT' satisfies GraphqlCode;
  return { message: rule, extensions: { code, reason: 'invalid_value', ...(field !== undefined && { field }) } };
}
