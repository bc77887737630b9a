import { CommitStanding } from './commit-standing.js';

describe('CommitStanding', () => {
  let nowMs = 0;
  const open = () => {
    nowMs = 1_000;
    return new CommitStanding(() => nowMs);
  };
  const of = (...accountIds: string[]) =>
    accountIds.map((accountId) => ({ kind: 'void', input: { callId: 'call_1', accountId } }) as const);

  it('says that nothing is booked after five seconds in which the commits of several accounts failed', () => {
    const standing = open();
    expect(standing.failingMs).toBeNull();
    standing.noteFailed(of('acct_1'));
    nowMs += 4_999;
    standing.noteFailed(of('acct_2'));
    expect(standing.failingMs).toBeNull();
    nowMs += 1;
    expect(standing.failingMs).toBe(5_000);
  });

  it('says nothing of it while only one account fails, however long', () => {
    const standing = open();
    for (let i = 0; i < 10; i += 1) {
      standing.noteFailed(of('acct_1', 'acct_1'));
      nowMs += 5_000;
    }
    expect(standing.failingMs).toBeNull();
  });

  it('takes one commit that goes through for the end, and begins anew afterwards', () => {
    const standing = open();
    standing.noteFailed(of('acct_1', 'acct_2'));
    nowMs += 6_000;
    expect(standing.failingMs).toBe(6_000);
    standing.noteCommitted();
    expect(standing.failingMs).toBeNull();
    standing.noteFailed(of('acct_1', 'acct_2'));
    expect(standing.failingMs).toBeNull();
  });

  it('forgets what failed longer than ten seconds ago, so that calls come back that a balancer kept away', () => {
    const standing = open();
    standing.noteFailed(of('acct_1', 'acct_2'));
    nowMs += 10_000;
    expect(standing.failingMs).toBe(10_000);
    nowMs += 1;
    expect(standing.failingMs).toBeNull();
  });
});
