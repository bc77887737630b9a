import { graphqlErrorCode, graphqlErrorField, graphqlErrorMessage, isRefusal } from './graphql-error-message';

function answer(code: string, message: string, field?: string) {
  return Object.assign(new Error(message), { errors: [{ message, extensions: { code, field } }] });
}

describe('graphqlErrorMessage', () => {
  it("keeps the server's sentence where it knows the case better", () => {
    expect(graphqlErrorMessage(answer('CONFLICT', 'You already have a key. Revoke it first.'))).toBe(
      'You already have a key. Revoke it first.',
    );
  });

  it('uses words of its own where the sentence is technical or missing', () => {
    expect(graphqlErrorMessage(answer('INTERNAL', 'boom at line 3'))).toContain('Something went wrong on our side');
    expect(graphqlErrorMessage(answer('RATE_LIMITED', ''))).toContain('Wait a minute');
  });

  it('says what is away where the server says it, in an answer of any status', () => {
    const message = 'The database cannot be used right now. Try again shortly.';
    const errors = [{ message, extensions: { code: 'INTERNAL', reason: 'service_unavailable', retryAfterSeconds: 2 } }];
    expect(graphqlErrorMessage(Object.assign(new Error(message), { errors }))).toBe(message);
    const refused = Object.assign(new Error('x'), { statusCode: 503, bodyText: JSON.stringify({ errors }) });
    expect([graphqlErrorMessage(refused), isRefusal(refused)]).toEqual([message, false]);
  });

  it('takes an unknown code for an internal error and shows none of its text', () => {
    expect(graphqlErrorMessage(answer('GRAPHQL_VALIDATION_FAILED', 'Cannot query field "x"'))).not.toContain('query');
    expect(graphqlErrorCode(answer('toString', ''))).toBe('INTERNAL');
  });

  it('says with which status an answer failed that is none of GraphQL’s, and does not blame the connection', () => {
    const failed = (statusCode: number, bodyText: string) => Object.assign(new Error('x'), { statusCode, bodyText });
    expect(graphqlErrorMessage(failed(500, '<h1>Bad</h1>'))).toContain('HTTP 500');
    expect(graphqlErrorMessage(failed(502, '{}'))).not.toContain('connection');
    expect(graphqlErrorMessage(failed(429, ''))).toContain('Wait a minute');
    const refused = failed(
      403,
      JSON.stringify({ errors: [{ message: 'Not from there.', extensions: { code: 'FORBIDDEN' } }] }),
    );
    expect([graphqlErrorMessage(refused), graphqlErrorCode(refused)]).toEqual(['Not from there.', 'FORBIDDEN']);
  });

  it('names the connection when no answer arrived', () => {
    expect(graphqlErrorMessage(new TypeError('Failed to fetch'))).toContain('cannot be reached');
    expect(graphqlErrorMessage(null)).toContain('cannot be reached');
    expect(graphqlErrorCode(new TypeError('Failed to fetch'))).toBeNull();
  });
});

describe('isRefusal', () => {
  it('is only what the server refuses by a code of its own: anything else may have been done', () => {
    expect(['CONFLICT', 'FORBIDDEN', 'UNAUTHENTICATED'].map((code) => isRefusal(answer(code, '')))).toEqual([
      true,
      true,
      true,
    ]);
    const ofProxy = Object.assign(new Error('x'), { statusCode: 502, bodyText: '' });
    const unclear = [
      answer('INTERNAL', ''),
      answer('OF_ANOTHER_RELEASE', ''),
      ofProxy,
      new TypeError('Failed to fetch'),
    ];
    expect(unclear.map(isRefusal)).toEqual([false, false, false, false]);
  });
});

describe('graphqlErrorField', () => {
  it('finds the field of the form, also behind a path', () => {
    expect(graphqlErrorField(answer('BAD_USER_INPUT', 'no', 'email'), ['email', 'password'])).toBe('email');
    expect(graphqlErrorField(answer('BAD_USER_INPUT', 'no', 'input.password'), ['email', 'password'])).toBe('password');
  });

  it('is null for a field that the form does not have', () => {
    expect(graphqlErrorField(answer('BAD_USER_INPUT', 'no', 'captcha'), ['email'])).toBeNull();
    expect(graphqlErrorField(answer('CONFLICT', 'no'), ['email'])).toBeNull();
  });
});
