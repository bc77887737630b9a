import { addCall, sizeLease, soonMs, type Traffic, worstCasesMin } from './lease-size.js';

function callAt(...instants: readonly number[]): Traffic {
  return instants.reduce<Traffic | null>((traffic, nowMs) => addCall(traffic, 100, nowMs), null) as Traffic;
}

describe('The traffic of a wallet', () => {
  it('is worth a lease from the second call within two seconds on, and no more once it pauses', () => {
    expect([callAt(0).isBusy, callAt(0, soonMs).isBusy, callAt(0, soonMs + 1).isBusy]).toEqual([false, true, false]);
    expect(callAt(0, 10, 10 + soonMs + 1).isBusy).toBe(false);
  });

  it('asks for the worst cases of about two seconds, and for four at least', () => {
    expect(sizeLease(callAt(0, 1))).toEqual({ amount: 100 * worstCasesMin, acceptFrom: 100 * worstCasesMin });
    const many = Array.from({ length: 50 }, (_, n) => n);
    expect(sizeLease(callAt(...many)).amount).toBe(5_000);
    // The window has just begun anew.
    expect(sizeLease(callAt(...many, soonMs)).amount).toBe(5_000);
  });
});
