import { mock } from 'node:test';
import { CallWaiters } from '../idempotency/call-waiters.js';
import { AppError } from '../kernel/app-error.js';
import type { FoundModel } from '../providers/model-catalogue.js';
import type { HttpTarget } from '../providers/provider-adapter.js';
import { tickAwake } from '../test/tick-awake.js';
import { LeaveWatch } from './leave-watch.js';
import { LeftCalls } from './left-calls.js';
import { OutputSpeeds } from './metering/output-speeds.js';
import { UsageMeter } from './metering/usage-meter.js';

const stopping = { stopsOnAbort: true, showsReasoning: false };
const targetOf = (conduct?: HttpTarget['conduct']) =>
  ({ kind: 'http', providerId: 'p', upstreamModel: 'gpt-4o', adapter: {}, conduct }) as unknown as HttpTarget;

function prepare({
  canReason = false,
  rules = { graceMs: 0, isReadOn: false },
  effort = undefined as 'none' | undefined,
  isPlain = false,
} = {}) {
  const leaving = new AbortController();
  const leftCalls = new LeftCalls(rules);
  const outputSpeeds = new OutputSpeeds();
  const messages = [{ role: 'user' as const, content: 'Hi' }];
  const request = { model: 'm', messages, max_completion_tokens: 100, reasoning_effort: effort };
  const meter = new UsageMeter({ promptTokensMax: 100, imageTokensMax: 0, hiddenPromptTokensMax: 0, request });
  const capabilities = { vision: false, tools: true, jsonSchema: true, reasoning: canReason };
  const model: Pick<FoundModel, 'capabilities'> = { capabilities };
  const waiters = new CallWaiters();
  const caller = {
    get hasLeft() {
      return leaving.signal.aborted;
    },
  };
  const watch = new LeaveWatch(
    { accountId: 'a', caller, callerGone: isPlain ? null : leaving.signal, waiters, model, request, meter },
    { leftCalls, outputSpeeds },
  );
  const leave = () => leaving.abort(new Error('left'));
  return { watch, leave, waiters, leftCalls, outputSpeeds };
}

describe('LeaveWatch', () => {
  it('breaks off at once before the provider has the prompt, whoever it is', () => {
    const { watch, leave } = prepare({ rules: { graceMs: 60_000, isReadOn: true } });
    watch.noteAttempt(targetOf());
    leave();
    expect(watch.hasBrokenOff).toBe(true);
  });

  it('has no provider asked for a plain call whose caller has left, and finishes what one was asked before', () => {
    const { watch, leave } = prepare({ isPlain: true });
    watch.noteAttempt(targetOf());
    expect([watch.isWanted(), watch.signal]).toEqual([true, null]);
    watch.noteSent();
    leave();
    expect([watch.hasLeft, watch.hasBrokenOff]).toEqual([true, false]);
    expect(watch.isEndedBy(new AppError('provider_timeout', 'late'))).toBe(false);
    watch.noteAttempt(targetOf());
    expect([watch.isWanted(), watch.hasBrokenOff]).toEqual([false, true]);
    expect(watch.isEndedBy(new Error('unwanted'))).toBe(true);
  });

  it('has a provider asked as long as somebody who asked again waits', () => {
    const { watch, leave, waiters } = prepare({ isPlain: true });
    const stopWaiting = waiters.enter();
    leave();
    expect(watch.isWanted()).toBe(true);
    stopWaiting();
    expect(watch.isWanted()).toBe(false);
  });

  it('breaks off at once a call that begins after its caller has left', () => {
    const { watch, leave } = prepare();
    leave();
    expect(watch.signal?.aborted).toBe(true);
  });

  it.each([
    ['stops on an abort', stopping, true],
    ['writes on', { ...stopping, stopsOnAbort: false }, false],
    ['is not known', undefined, false],
  ])('after the grace, with a provider that %s: breaks off is %s', (_, conduct, isBrokenOff) => {
    const { watch, leave, leftCalls } = prepare();
    watch.noteAttempt(targetOf(conduct));
    watch.noteSent();
    leave();
    expect([watch.hasLeft, watch.hasBrokenOff]).toEqual([true, isBrokenOff]);
    expect(leftCalls.count).toBe(1);
    watch.end();
    expect(leftCalls.count).toBe(0);
  });

  it('reads every stream to its end where the operator says so', () => {
    const { watch, leave } = prepare({ rules: { graceMs: 0, isReadOn: true } });
    watch.noteAttempt(targetOf(stopping));
    watch.noteSent();
    leave();
    expect(watch.hasBrokenOff).toBe(false);
  });

  it('reads on where reasoning is not shown and its speed not known, and breaks off once it is', () => {
    const unknown = prepare({ canReason: true });
    const known = prepare({ canReason: true });
    const target = targetOf(stopping);
    const call = { outputTokens: 400, choices: 1, durationMs: 1_000, hadUnseenOutput: true };
    for (let calls = 0; calls < 5; calls += 1) known.outputSpeeds.learn(target, 'a', call);
    for (const { watch, leave } of [unknown, known]) {
      watch.noteAttempt(target);
      watch.noteSent();
      leave();
    }
    expect(unknown.watch.hasBrokenOff).toBe(false);
    expect(known.watch.hasBrokenOff).toBe(true);
    expect(known.watch.unseenReasoning).toEqual({ mayReason: true, tokensPerMs: 0.4 });
  });

  it('needs no speed where reasoning is shown, or was declined', () => {
    const shown = prepare({ canReason: true });
    shown.watch.noteAttempt(targetOf({ ...stopping, showsReasoning: true }));
    const declined = prepare({ canReason: true, effort: 'none' });
    declined.watch.noteAttempt(targetOf(stopping));
    for (const { watch, leave } of [shown, declined]) {
      watch.noteSent();
      leave();
      expect(watch.hasBrokenOff).toBe(true);
    }
  });

  it('takes a model for one that reasons unseen when its provider has billed for that, whatever is known of it', () => {
    const { watch, leave, outputSpeeds } = prepare();
    const target = targetOf({ ...stopping, showsReasoning: true });
    outputSpeeds.learn(target, 'a', { outputTokens: 100, choices: 1, durationMs: 1_000, hadUnseenOutput: true });
    watch.noteAttempt(target);
    watch.noteSent();
    leave();
    expect(watch.hasBrokenOff).toBe(false);
  });

  it('breaks off whatever is read on, and whoever leaves from then on, when the server closes', () => {
    const { watch, leave, leftCalls } = prepare({ rules: { graceMs: 60_000, isReadOn: true } });
    watch.noteAttempt(targetOf());
    watch.noteSent();
    leave();
    expect(watch.hasBrokenOff).toBe(false);
    leftCalls.breakOffAll();
    expect(watch.hasBrokenOff).toBe(true);
    watch.end();
    let isBrokenOff = false;
    leftCalls.enter(() => {
      isBrokenOff = true;
    });
    expect(isBrokenOff).toBe(true);
  });

  it('breaks off nothing while somebody waits who asked again, also when the server closes, and everything once they have gone', () => {
    const { watch, leave, waiters, leftCalls } = prepare();
    watch.noteAttempt(targetOf(stopping));
    watch.noteSent();
    const goes = [waiters.enter(), waiters.enter()];
    leave();
    expect([watch.hasLeft, watch.hasBrokenOff, leftCalls.count]).toEqual([false, false, 0]);
    goes[0]?.();
    goes[0]?.();
    leftCalls.breakOffAll();
    expect([watch.hasLeft, watch.hasBrokenOff]).toEqual([false, false]);
    goes[1]?.();
    expect([watch.hasLeft, watch.hasBrokenOff]).toEqual([true, true]);
  });

  it('begins the grace anew when the last of those goes who waited, and leaves a call alone that is over', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const { watch, leave, waiters, leftCalls } = prepare({ rules: { graceMs: 5_000, isReadOn: false } });
    watch.noteAttempt(targetOf(stopping));
    watch.noteSent();
    leave();
    const go = waiters.enter();
    await tickAwake(4_999);
    go();
    mock.timers.tick(300_000);
    await tickAwake(4_374);
    expect(watch.hasBrokenOff).toBe(false);
    await tickAwake(1);
    expect(watch.hasBrokenOff).toBe(true);
    watch.end();
    waiters.enter()();
    expect(leftCalls.count).toBe(0);
    mock.timers.reset();
  });

  it('counts a call whose time ran out after its caller had left as left, and one that its provider failed as failed', () => {
    const { watch, leave } = prepare();
    const outOfTime = new AppError('provider_timeout', 'slow');
    watch.noteAttempt(targetOf());
    watch.noteSent();
    expect(watch.isEndedBy(outOfTime)).toBe(false);
    leave();
    expect(watch.isEndedBy(outOfTime)).toBe(true);
    expect(watch.isEndedBy(new AppError('provider_error', 'broken'))).toBe(false);
    watch.end();
  });
});
