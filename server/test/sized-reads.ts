import { openMoney } from '../composition/open-money.js';
import { openAccountFinder } from '../composition/operators/open-operators.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock, systemClock } from '../kernel/clock.js';
import { NoticeDesk } from '../notices/notice-desk.js';
import { OperatorLog } from '../operator/operator-log.js';
import { listQuarantinedEvents } from '../purchases/quarantined-events.js';
import { type ExploreQuestion, Explorer } from '../usage/reports/explore.js';
import type { CallFilter } from '../usage/requests/call-filter.js';
import { CallReader } from '../usage/requests/call-reader.js';
import { RefusalReader } from '../usage/requests/refusal-reader.js';
import { type RequestOrder, RequestReader } from '../usage/requests/request-list.js';
import type { KnownCustomer } from './bulk-customers.js';

const dayMs = 86_400_000;
export const toMs = Date.UTC(2026, 5, 1);
export const fromMs = toMs - 30 * dayMs;

export type Reads = Readonly<Record<string, () => Promise<unknown>>>;

/** What Explore and the list of requests ask for one account. */
export function listExplorations(
  unitOfWork: UnitOfWork,
  { accountId, keyId }: { accountId: string; keyId: string },
): Reads {
  const explorer = new Explorer(unitOfWork);
  const explore = (changes: Partial<ExploreQuestion>) => () =>
    explorer.explore({
      accountId,
      fromMs,
      toMs,
      bucket: 'day',
      metric: 'cost',
      groupings: [],
      filter: {},
      groupsMax: 10,
      isCompared: true,
      ...changes,
    });
  const oneDay = { fromMs: toMs - dayMs, bucket: 'hour' } as const;
  const calls = new CallReader(unitOfWork);
  const requests = new RequestReader({ calls, refusals: new RefusalReader(unitOfWork) });
  const list =
    (filter: CallFilter, order: RequestOrder = 'newest') =>
    () =>
      requests.listRequests(accountId, { first: 50, beforeId: null, filter, order });
  return {
    'Explore, 30 days beside the 30 before': explore({}),
    '… by model': explore({ groupings: ['model'] }),
    '… by model and key': explore({ groupings: ['model', 'api_key'] }),
    '… by tag': explore({ groupings: ['tag'] }),
    '… by status': explore({ groupings: ['status'] }),
    '… by tag and model': explore({ groupings: ['tag', 'model'] }),
    '… by end user (200)': explore({ groupings: ['end_user'] }),
    '… by end user and model': explore({ groupings: ['end_user', 'model'] }),
    '… by model, of one tag': explore({ groupings: ['model'], filter: { tag: ['tag-3'] } }),
    '… by tag and end user': explore({ groupings: ['tag', 'end_user'] }),
    '… times by model': explore({ groupings: ['model'], metric: 'times' }),
    '… times by tag': explore({ groupings: ['tag'], metric: 'times' }),
    'Explore, a day by hour': explore({ ...oneDay, groupings: ['model'] }),
    '… a day by tag': explore({ ...oneDay, groupings: ['tag'] }),
    '… a day by end user': explore({ ...oneDay, groupings: ['end_user'] }),
    '… times by model, a day by hour': explore({ ...oneDay, groupings: ['model'], metric: 'times' }),
    'Requests, newest page': list({}),
    '… of a model': list({ model: 'demo-small' }),
    '… that failed': list({ outcome: 'failed' }),
    '… that were interrupted (none)': list({ outcome: 'interrupted' }),
    '… of a key': list({ keyId }),
    '… of a tag': list({ tag: 'tag-3' }),
    '… of a tag that none has': list({ tag: 'none' }),
    '… of an end user': list({ endUser: 'user-17' }),
    '… with an error code that none has': list({ errorCode: 'none' }),
    '… the dearest': list({}, 'cost'),
    '… the slowest of a model': list({ model: 'demo-small' }, 'duration'),
  };
}

/** What operators look for, list and sum, over all accounts. */
export function listOperatorReads(unitOfWork: UnitOfWork, known: KnownCustomer): Reads {
  const { reader } = unitOfWork;
  const { findAccounts } = openAccountFinder(unitOfWork);
  const find = (text: string) => () => findAccounts(text);
  const notices = new NoticeDesk(unitOfWork, systemClock);
  const log = new OperatorLog(unitOfWork, systemClock, 'bench');
  // In the last moment of an hour, of which nothing is summed.
  const lastMoment = new FakeClock(toMs - 1);
  const money = openMoney({ unitOfWork, listCosts: async () => [] }, lastMoment, async () => lastMoment.nowMs());
  const month = { fromMs, toMs };
  return {
    'Operators: an account by its id': find(known.accountId),
    '… by e-mail address': find('customer-4711@mail-11.test'),
    '… by the beginning of one': find('customer-4'),
    '… by the beginning of a name': find('customer 4'),
    '… by a word that nothing begins with': find('nobody'),
    '… by what is shown of a key': find('sk-tg-4711'),
    '… by a call': find(known.callId),
    '… by a purchase, a payment': async () => [await find(known.purchaseId)(), await find(known.sessionId)()],
    'Notices that were given up': () => notices.listGivenUp(100),
    'Notices, counted': () => notices.count(),
    'Notices of an account': () => notices.listOf(known.accountId, 100),
    'Events that were set aside': () => listQuarantinedEvents(reader, 50),
    'Operators’ log': () => log.list({ first: 50 }),
    'Operators’ log of an account': () => log.list({ first: 50, accountId: known.accountId }),
    'Money of 30 days': () => money.report(month),
    'Liability now': () => money.findLiability(),
    'Use of 30 days by model': () => money.readUsage(month, 'model', 25),
    '… by day': () => money.readUsage(month, 'day', 25),
    'Use of a month by account': () => money.readUsage({ fromMs: Date.UTC(2026, 4), toMs }, 'account', 25),
    '… of one day by account': () => money.readUsage({ fromMs: toMs - dayMs, toMs }, 'account', 25),
  };
}
