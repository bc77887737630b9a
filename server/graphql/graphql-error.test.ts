import type { ValidationError } from 'class-validator';
import { GraphQLError } from 'graphql';
import { ArgumentValidationError } from 'type-graphql';
import { AppError, InvalidInputError, NotFoundError } from '../kernel/app-error.js';
import { type LogFields, silentLogger } from '../kernel/logger.js';
import { createErrorFormatter } from './graphql-error.js';

const logged: { event: string; fields: LogFields | undefined }[] = [];
const logger = { ...silentLogger, error: (event: string, fields?: LogFields) => logged.push({ event, fields }) };
const format = createErrorFormatter(logger);

// As graphql-js wraps what a resolver throws.
const formatThrown = (originalError: Error) => {
  const error = new GraphQLError(originalError.message, { originalError, path: ['viewer'] });
  return format(error.toJSON(), error);
};

describe('GraphQL errors', () => {
  beforeEach(() => logged.splice(0));

  it('carry the code, the field, the wait and the facts of an AppError', () => {
    expect(formatThrown(new InvalidInputError('email', 'Enter an address.'))).toEqual({
      message: 'Enter an address.',
      path: ['viewer'],
      extensions: { code: 'BAD_USER_INPUT', reason: 'invalid_value', field: 'email' },
    });
    expect(formatThrown(new NotFoundError('key')).extensions?.code).toBe('NOT_FOUND');
    const late = new AppError('rate_limit_exceeded', 'Wait.', { retryAfterMs: 1_001, metadata: { limit: 10 } });
    expect(formatThrown(late).extensions).toEqual({
      code: 'RATE_LIMITED',
      reason: 'rate_limit_exceeded',
      retryAfterSeconds: 2,
      limit: 10,
    });
    expect(logged).toEqual([]);
  });

  it('tell a person of what is gone by its name and what to do, and of no id, which the dashboard does not show', () => {
    const { message } = formatThrown(new NotFoundError('member'));
    expect(message).toBe('There is no such member in your account, or not any more. Load the list again.');
  });

  it('hide what is not meant for the caller behind an id that the log knows', () => {
    const formatted = formatThrown(new Error('connect ECONNREFUSED 10.0.0.7:3306'));
    expect(JSON.stringify(formatted)).not.toContain('10.0.0.7');
    expect(formatted.extensions?.code).toBe('INTERNAL');
    expect(logged).toMatchObject([
      { event: 'graphql_failed', fields: { requestId: formatted.extensions?.requestId, path: 'viewer' } },
    ]);
  });

  it.each([
    [
      'Variable "$i" got invalid value { password: "canary; at \\"x\\"" } at "i.x"; Field "x" is not defined by type "I".',
      /^Variable "\$i" got an invalid value at "i\.x"\. Field "x" is not defined by type "I"\.$/,
    ],
    ['Int cannot represent non-integer value: "canary"', /^Int cannot represent non-integer value\.$/],
    ['Syntax Error: Expected Name, found String "canary".', /^Syntax Error: Expected Name, found a text\.$/],
    ['Value "canary" does not exist in "Kind" enum.', /^This value does not exist in "Kind" enum\.$/],
    [
      'Variable "$i" got invalid value "canary" at "i.kind"; Value "canary" does not exist in "Kind" enum.',
      /^Variable "\$i" got an invalid value at "i\.kind"\. This value does not exist in "Kind" enum\.$/,
    ],
  ])('repeat no value of %s', (message, words) => {
    const formatted = format({ message, extensions: { code: 'BAD_USER_INPUT' } }, new GraphQLError(message));
    expect(formatted.message).toMatch(words);
  });

  it.each([
    ['Variable "$i" got invalid value "5" at "i.spendLimit"; Expected type "Credits". Send a number.', 'spendLimit'],
    ['Variable "$i" got invalid value "X" at "i.scopes[0]"; Value "X" does not exist in "Scope" enum.', 'scopes'],
    ['Variable "$i" got invalid value {}; Field "email" of required type "String!" was not provided.', 'email'],
    ['Variable "$i" got invalid value { a: 1 }; Field "a" is not defined by type "I".', 'a'],
    ['Variable "$c" got invalid value "5"; Expected type "Credits".', undefined],
    ['Variable "$a" of required type "Boolean!" was not provided.', undefined],
  ])('name the field that a variable has wrong, where it is one: %s', (message, field) => {
    const formatted = format({ message, extensions: { code: 'BAD_USER_INPUT' } }, new GraphQLError(message));
    expect(formatted.extensions).toEqual({ code: 'BAD_USER_INPUT', ...(field !== undefined && { field }) });
  });

  it('name the field at fault and its rule however deep it lies', () => {
    const tooLong = { property: 'model', constraints: { maxLength: 'At most 191 characters.' } };
    const inFilter = { property: 'filter', children: [tooLong] };
    const inList = { property: 'filters', children: [{ property: '0', children: [tooLong] }] };
    const ofList = { property: 'tags', children: [{ property: '1', constraints: { isString: 'Send texts.' } }] };
    for (const [fault, field, message] of [
      [tooLong, 'model', 'At most 191 characters.'],
      [inFilter, 'model', 'At most 191 characters.'],
      [inList, 'model', 'At most 191 characters.'],
      [ofList, 'tags', 'Send texts.'],
      [{ property: 'odd' }, 'odd', 'The input is not valid.'],
    ] as const) {
      const formatted = formatThrown(new ArgumentValidationError([fault as unknown as ValidationError]));
      expect(formatted).toMatchObject({ message, extensions: { code: 'BAD_USER_INPUT', field } });
    }
  });

  it('keep Apollo’s words for a faulty document, without whatever else hangs on them', () => {
    const extensions = { code: 'GRAPHQL_VALIDATION_FAILED', stacktrace: ['x'] };
    expect(format({ message: 'Unknown field.', extensions }, new GraphQLError('Unknown field.'))).toEqual({
      message: 'Unknown field.',
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    });
  });

  it.each(['. Value "', ' at "i"; ', '. Field "a" ', ' value: ', ' found String "'])(
    'take no longer for a text that repeats what they look for: %s',
    (piece) => {
      // Where a look began anew at each piece, this would take hours.
      const message = `Expected value of type "Filter", found """${piece.repeat(200_000)}""".`;
      const formatted = format(
        { message, extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
        new GraphQLError(message),
      );
      expect(formatted.message.length).toBeLessThan(1_000);
    },
  );

  it('repeat no more than the beginning of what was asked for', () => {
    const extensions = { code: 'OPERATION_RESOLUTION_FAILURE' };
    const message = `Unknown operation named "${'x'.repeat(90_000)}".`;
    const formatted = format({ message, extensions }, new GraphQLError(message));
    expect(formatted.message).toMatch(/^Unknown operation named "x+…$/);
    expect(formatted.message.length).toBeLessThan(600);
  });
});
