import { AppError } from '../kernel/app-error.js';
import { createBeyondLimitError, createBrokenError, createTotalTimeError } from '../providers/upstream-error.js';
import { judgeFailure } from './judge-failure.js';

const broken = createBrokenError('acme', { hasBegun: true });
const fault = new TypeError('of ours');

/** What became of a call whose provider had made something. */
const judge = (
  error: Error,
  { hasLeft = false, hasTold = false, isOfSink = false, hasBrokenOff = false, hasOutput = true } = {},
) =>
  judgeFailure(error, {
    reading: { failure: isOfSink ? { error, isOfSink } : null },
    watch: { hasLeft, hasBrokenOff, isEndedBy: () => hasBrokenOff },
    meter: { hasOutput },
    sink: { hasTold },
  }).outcome;

describe('A call that ends with an error', () => {
  it.each([
    ['its provider broke off', broken, {}],
    ['our own code failed', fault, {}],
    ['our own code failed in giving it to its caller', fault, { isOfSink: true }],
  ])('is free where its caller was told nothing, and else paid as far as it came: %s', (_, error, more) => {
    expect(judge(error, more)).toBe('failed');
    expect(judge(error, { ...more, hasTold: true })).toBe('interrupted');
  });

  it('is paid where its caller has left and could not be given it', () => {
    expect(judge(fault, { hasLeft: true, isOfSink: true })).toBe('abandoned');
    expect(judge(broken, { hasLeft: true, hasBrokenOff: true })).toBe('abandoned');
  });

  it.each([
    ['of time', createTotalTimeError('acme')],
    ['of size', createBeyondLimitError('acme', 'an event larger than allowed')],
  ])('is paid where a limit of ours ended it, told or not, and free where nothing was made: %s', (_, error) => {
    expect(judge(error)).toBe('interrupted');
    expect(judge(error, { hasOutput: false })).toBe('failed');
    expect(error).toBeInstanceOf(AppError);
  });
});
