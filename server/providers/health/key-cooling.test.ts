import { AppError } from '../../kernel/app-error.js';
import { RouteFaultError } from '../upstream-error.js';
import { KeyCooling } from './key-cooling.js';

const refused = new AppError('provider_unavailable', 'no');
const limited = new AppError('provider_rate_limited', 'no');
const bad = new RouteFaultError('provider_unavailable', 'no');
const asksToWait = (retryAfterMs: number) => new AppError('provider_rate_limited', 'no', { retryAfterMs });
const refusedMs = 5 * 60_000;

const callOf = (accountId: string, upstreamModel = 'm') => ({ keyId: 'one', upstreamModel, accountId });
const [anna, ben, carl] = [callOf('anna'), callOf('ben'), callOf('carl')];

describe('A key that is refused', () => {
  it('for what it is rests from all accounts and for all models', () => {
    const cooling = new KeyCooling();
    expect(cooling.noteFailure(anna, bad, 0)).toBe(true);
    expect(cooling.findUntilMs(callOf('ben', 'another'), 1)).toBe(refusedMs);
    expect(cooling.findUntilMsForAll('one', 1)).toBe(refusedMs);
    cooling.noteAnswer(ben, 2, 3);
    expect(cooling.findUntilMs(ben, refusedMs - 1)).toBe(refusedMs);
    expect(cooling.findUntilMs(ben, refusedMs)).toBeNull();
  });

  it.each([
    ['a 402 or 403', refused, refusedMs],
    ['a 429', limited, 30_000],
    ['a 429 that says how long to wait', asksToWait(7_000), 7_000],
    ['a 429 that asks for an hour', asksToWait(3_600_000), refusedMs],
  ])('rests from the account that asked alone, and for the model that was asked for: %s', (_, error, restMs) => {
    const cooling = new KeyCooling();
    for (let failure = 0; failure < 3; failure += 1) expect(cooling.noteFailure(anna, error, 0)).toBe(true);
    expect(cooling.findUntilMs(anna, restMs - 1)).toBe(restMs);
    expect(cooling.findUntilMs(anna, restMs)).toBeNull();
    for (const use of [ben, callOf('anna', 'another'), { ...anna, keyId: 'two' }])
      expect(cooling.findUntilMs(use, 0)).toBeNull();
    expect(cooling.findUntilMsForAll('one', 0)).toBeNull();
  });

  it('rests from all, for that model, where two accounts are refused in a row', () => {
    const cooling = new KeyCooling();
    cooling.noteFailure(anna, refused, 0);
    cooling.noteFailure(ben, limited, 1_000);
    expect(cooling.findUntilMs(carl, 1_000)).toBe(31_000);
    expect(cooling.findUntilMsForAll('one', 1_000)).toBe(31_000);
    expect(cooling.findUntilMs(callOf('carl', 'another'), 1_000)).toBeNull();
    // Of attempts that were under way, none lengthens it.
    cooling.noteFailure(anna, refused, 2_000);
    expect(cooling.findUntilMs(anna, 2_000)).toBe(31_000);
    // Afterwards it takes two accounts again.
    cooling.noteFailure(carl, limited, 31_000);
    expect(cooling.findUntilMs(anna, 31_000)).toBeNull();
  });

  it('and answers in between rests from nobody but the last account', () => {
    const cooling = new KeyCooling();
    cooling.noteFailure(anna, refused, 0);
    cooling.noteAnswer(ben, 1, 2);
    expect(cooling.findUntilMs(anna, 2)).toBeNull();
    cooling.noteFailure(carl, refused, 3);
    expect([anna, ben].map((use) => cooling.findUntilMs(use, 4))).toEqual([null, null]);
    expect(cooling.findUntilMs(carl, 4)).toBe(3 + refusedMs);
  });

  it('is not taken for well by an answer to an attempt that began before', () => {
    const cooling = new KeyCooling();
    cooling.noteFailure(anna, refused, 10);
    cooling.noteAnswer(ben, 9, 20);
    expect(cooling.findUntilMs(anna, 20)).toBe(10 + refusedMs);
  });

  it('rests for as long as its provider asks, whoever is answered meanwhile; that it was answered is kept in mind', () => {
    const cooling = new KeyCooling();
    cooling.noteFailure(anna, asksToWait(20_000), 0);
    cooling.noteAnswer(ben, 1, 2);
    expect(cooling.findUntilMs(anna, 2)).toBe(20_000);
    cooling.noteFailure(carl, refused, 3);
    expect(cooling.findUntilMs(ben, 4)).toBeNull();
  });

  it('rests for nothing that is not of the key, and is forgotten when it is gone', () => {
    const cooling = new KeyCooling();
    for (const code of ['provider_error', 'provider_rejected', 'provider_timeout'] as const)
      expect(cooling.noteFailure(anna, new AppError(code, 'no'), 0)).toBe(false);
    expect(cooling.noteFailure(anna, new Error('left'), 0)).toBe(false);
    expect(cooling.findUntilMs(anna, 0)).toBeNull();
    cooling.noteFailure(anna, refused, 0);
    cooling.noteFailure(anna, bad, 0);
    cooling.keepOnly(new Set(['two']));
    expect(cooling.findUntilMs(anna, 0)).toBeNull();
  });
});
