import { FakeClock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { CustomerViews } from './customer-views.js';

const minuteMs = 60_000;

it('A view of a customer’s account is over after half an hour, also where the clock is set back meanwhile', async () => {
  const clock = new FakeClock();
  const id = createId('customerView');
  const view = { id, accountId: 'acct_1', operatorId: 'op_1', endsAtMs: clock.nowMs() + 30 * minuteMs };
  const operator = { operatorId: 'op_1', sessionId: 'ops_1', role: 'owner' };
  const views = new CustomerViews({
    clock,
    unitOfWork: { reader: { findOneBy: async () => view } },
    sessions: { find: async () => operator },
    findEmail: async () => 'ada@example.com',
  } as never);
  const isOver = async () => (await views.find(id, 'token')) === null;
  expect(await isOver()).toBe(false);
  clock.advanceMs(29 * minuteMs);
  expect(await isOver()).toBe(false);
  clock.advanceMs(minuteMs);
  expect(await isOver()).toBe(true);
  clock.setWallMs(clock.nowMs() - 24 * 60 * minuteMs);
  expect(await isOver()).toBe(true);
});
