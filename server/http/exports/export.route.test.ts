import { once } from 'node:events';
import { get, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import express from 'express';
import type { AccountEvent } from '../../audit/account-events.js';
import { openMemoryCounter } from '../../kernel/attempt-counter.js';
import { FakeClock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { silentLogger } from '../../kernel/logger.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import { noOwnLimits } from '../../limits/account-limits.js';
import { ConcurrentCalls } from '../../limits/concurrent-calls.js';
import { eventually } from '../../test/eventually.js';
import type { CallRecord } from '../../usage/requests/call-reader.js';
import type { KeptRefusal } from '../../usage/requests/refusal-reader.js';
import { createHttpServer } from '../create-http-server.js';
import { createExportRoutes, type ExportServices } from './export.route.js';
import type { StatementLine } from './export-rows.js';

const accountId = createId('account');
const call: CallRecord = {
  callId: createId('call'),
  accountId,
  keyId: createId('key'),
  model: '=HYPERLINK("http://evil.example")',
  provider: '@demo',
  tier: 'lower',
  millicreditsPerToken: 1,
  priceMultiplier: null,
  isStreamed: true,
  outcome: 'completed',
  errorCode: '-2+3',
  attempts: null,
  estimateParts: null,
  tag: 'may-2',
  endUser: null,
  cachedTokens: 2,
  reasoningTokens: null,
  finishReason: '\tstop',
  usageSource: 'reported',
  promptTokens: 3,
  completionTokens: 4,
  heldMillicredits: 1_000,
  chargedMillicredits: 7,
  absorbedMillicredits: 0,
  startedAtMs: Date.UTC(2026, 0, 31, 12),
  firstByteMs: null,
  totalMs: 20,
};
const event: AccountEvent = {
  ...{ id: createId('accountEvent'), accountId, kind: 'signed_in', createdAtMs: 0, actorId: null, personId: null },
  ...{ role: null, subjectId: null, detail: null, network: '', userAgent: null },
};
const line: StatementLine = {
  id: 'x:r',
  walletSeq: 9,
  type: 'usage',
  atMs: Date.UTC(2026, 0, 31, 12),
  amountMillicredits: toMillicredits(-7),
  balanceAfterMillicredits: toMillicredits(9_000_000_000_000_000 - 7),
  callId: call.callId,
};

describe('exports', () => {
  let server: Server;
  let baseUrl: string;
  let pagesRead: number;
  let isSignedIn: boolean;
  /** Whose session or key asks. */
  let viewerId: string;
  /** Asked while a file is written. */
  let isAllowed: () => boolean;
  let refusal: KeptRefusal | null;
  /** How many pages of calls there are. */
  let pageCount: number;
  let listCalls: ExportServices['calls']['listCalls'];

  beforeEach(async () => {
    [pagesRead, isSignedIn, pageCount, refusal, isAllowed] = [0, true, 1, null, () => true];
    viewerId = accountId;
    listCalls = async (_accountId, { first }) => {
      pagesRead += 1;
      const items = Array.from({ length: pageCount === 1 ? 1 : first }, () => call);
      return { items, hasNextPage: pagesRead < pageCount, endKey: null };
    };
    const routes = createExportRoutes({
      getOperatorExport: async () => ({ accountId, operatorId: 'oper', isStillAllowed: async () => isAllowed() }),
      mayStill: async () => isAllowed(),
      trustMs: 0,
      findViewer: async () =>
        isSignedIn ? { accountId: viewerId, sessionId: null, personId: null, role: null } : null,
      events: { listEvents: async () => ({ items: [event], hasNextPage: false }), noteExport: async () => {} },
      // Its methods are those of a class, as the reader of the database has them.
      calls: Object.create({ listCalls: (...question: Parameters<typeof listCalls>) => listCalls(...question) }),
      statement: { listStatement: async () => ({ items: [line], hasNextPage: false }) },
      accounts: { findAccount: async () => null },
      accountPrices: { find: () => 1_000 },
      sessions: { listSessions: async () => [] },
      identities: { list: async () => [] },
      factors: {
        describe: async () => ({
          authenticatorAppSinceMs: null,
          recoveryCodesLeft: 0,
          recoveryDueAtMs: null,
          passkeys: [],
        }),
      },
      memberships: { listMembers: async () => [] },
      keys: { listKeys: async () => [] },
      endpoints: { list: async () => [] },
      invitations: { listKept: async () => [] },
      keyNetworks: { list: async function* () {} },
      accountLimits: { read: async () => noOwnLimits },
      alerts: {
        find: async () => ({ thresholdMillicredits: null, isByEmail: true, webhookUrl: null, isUseTold: null }),
      },
      topUpSettings: { find: async () => ({ card: null }) },
      receiptLinks: { listLinks: async () => [] },
      refusals: {
        listRefusals: async () => ({ items: refusal === null ? [] : [refusal], hasNextPage: false }),
      },
      savedItems: { list: async () => [] },
      personalItems: { listOfPerson: async () => [] },
      purchases: { listPurchases: async () => ({ items: [], hasNextPage: false }) },
      concurrentExports: new ConcurrentCalls(2, 'exports'),
      exportsAtOnceMax: 5,
      openCounter: openMemoryCounter,
      clock: new FakeClock(),
      logger: silentLogger,
    });
    server = createHttpServer(express().set('query parser', false).use('/export', routes)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/export`;
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const open = async (path: string): Promise<IncomingMessage> => {
    const [response] = await once(get(`${baseUrl}${path}`), 'response');
    return response;
  };
  const readError = async (path: string) => {
    const response = await fetch(`${baseUrl}${path}`);
    return {
      status: response.status,
      ...((await response.json()) as { error: { code: string; param: string } }).error,
    };
  };

  it('lists calls and refused requests in one file, with what refused ones have', async () => {
    refusal = {
      ...{ id: createId('call'), accountId, keyId: call.keyId, status: 402, errorCode: 'insufficient_quota' },
      ...{ model: '=1+1', param: 'max_tokens', wire: 'chat', times: 3, lastAtMs: Date.UTC(2026, 1, 1) },
    };
    const [header = '', ...lines] = (await (await fetch(`${baseUrl}/requests.csv`)).text()).trim().split('\r\n');
    expect(header.split(',').slice(-6)).toEqual([
      ...['http_status', 'param', 'times', 'cached_tokens', 'reasoning_tokens', 'price_multiplier'],
    ]);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain(
      `${refusal.id},2026-02-01T00:00:00.000Z,'=1+1,,${call.keyId},refused,insufficient_quota`,
    );
    expect(lines[0]?.endsWith(',402,max_tokens,3,,,')).toBe(true);
    expect(lines[1]).toContain(call.callId);
    const refused = await (await fetch(`${baseUrl}/requests.csv?kind=refused`)).text();
    expect(refused.trim().split('\r\n')).toHaveLength(2);
  });

  it('makes no formula of a text, writes UTC and plain decimals, and is a download', async () => {
    const response = await fetch(`${baseUrl}/calls.csv`);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="tollgate-calls-2026-01-01.csv"');
    expect(response.headers.get('content-type')).toContain('text/csv');
    const [head, row] = (await response.text()).split('\r\n');
    expect(head).toMatch(/^id,started_at,model,provider,api_key_id,outcome,.*,credits_charged,credits_absorbed,/);
    expect(row).toBe(
      `${call.callId},2026-01-31T12:00:00.000Z,"'=HYPERLINK(""http://evil.example"")",'@demo,${call.keyId},completed,'-2+3,'\tstop,true,lower,1,3,4,reported,1.000,0.007,0.000,,20,may-2,,2,,1000`,
    );
    const statement = await (await fetch(`${baseUrl}/statement.csv`)).text();
    expect(statement).toBe(
      `id,booked_at,type,credits,credits_after,call_id\r\nx:r,2026-01-31T12:00:00.000Z,usage,-0.007,8999999999999.993,${call.callId}\r\n`,
    );
  });

  it('passes the filters on', async () => {
    const asked: unknown[] = [];
    listCalls = async (_accountId, { filter }) => {
      asked.push(filter);
      return { items: [], hasNextPage: false, endKey: null };
    };
    const query = 'from=2026-01-01T00:00:00Z&to=&model=m&provider=p&apiKeyId=k&outcome=FAILED&streamed=false';
    await (await fetch(`${baseUrl}/calls.csv?${query}`)).text();
    const times = { fromMs: Date.UTC(2026, 0, 1), toMs: null };
    expect(asked).toEqual([{ ...times, model: 'm', provider: 'p', keyId: 'k', outcome: 'failed', isStreamed: false }]);
  });

  it.each([
    ['/calls.csv?from=yesterday', 'from'],
    ['/calls.csv?outcome=GOOD', 'outcome'],
    ['/calls.csv?form=2026-01-01T00:00:00Z', 'form'],
    ['/statement.csv?model=m', 'model'],
    ['/account.json?x=1', 'x'],
  ])('names what is wrong with %s', async (path, param) => {
    expect(await readError(path)).toMatchObject({ status: 400, param });
  });

  it('asks for a sign-in', async () => {
    isSignedIn = false;
    for (const path of ['/calls.csv', '/statement.csv', '/account.json']) {
      expect(await readError(path)).toMatchObject({ status: 401, code: 'unauthenticated' });
    }
  });

  it('reads no further than its reader has taken, and stops when the reader leaves', async () => {
    pageCount = 100_000;
    const response = await open('/calls.csv');
    await once(response, 'readable');
    const settledAt = await waitUntilStill(() => pagesRead);
    // What the network's buffers take is a few pages; the whole would be fifty million rows.
    expect(settledAt).toBeLessThan(200);
    response.destroy();
    const afterwards = await waitUntilStill(() => pagesRead);
    expect(afterwards - settledAt).toBeLessThan(20);
  });

  it('lets an account have two at once, and another when one has ended', async () => {
    pageCount = 100_000;
    const [one, two] = [await open('/calls.csv'), await open('/calls.csv')];
    expect(await readError('/account.json')).toMatchObject({ status: 429, code: 'concurrency_limit_exceeded' });
    one.destroy();
    let status = 429;
    while (status === 429) status = (await open('/statement.csv')).resume().statusCode ?? 0;
    expect(status).toBe(200);
    two.destroy();
  });

  it('writes five at once of all accounts, refuses one more with a time to come again, and has room as one ends', async () => {
    pageCount = 100_000;
    const running: IncomingMessage[] = [];
    for (viewerId of ['a', 'a', 'b', 'b', 'c']) running.push(await open('/calls.csv'));
    expect(running.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
    const refused = (await open('/statement.csv')).resume();
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '10']);
    viewerId = 'a';
    expect(await readError('/statement.csv')).toMatchObject({ status: 429, code: 'concurrency_limit_exceeded' });
    viewerId = 'd';
    expect(await readError('/statement.csv')).toMatchObject({ status: 503, code: 'service_unavailable' });
    running.pop()?.destroy();
    await eventually(async () => (await open('/statement.csv')).resume().statusCode === 200);
    for (const response of running) response.destroy();
  });

  it('lets an account take all along 60 times in an hour, and other files as often as before', async () => {
    for (let times = 0; times < 60; times += 1) {
      const response = await fetch(`${baseUrl}/events.csv`);
      expect(await response.text()).toContain('signed_in');
    }
    await eventually(async () => {
      const { status, code } = await readError('/account.json');
      return status === 429 && code === 'rate_limit_exceeded';
    });
    expect((await open('/statement.csv')).resume().statusCode).toBe(200);
  });

  it('has both free again once a connection has broken on which one waited behind the other', async () => {
    pageCount = 100_000;
    const file = 'GET /export/calls.csv HTTP/1.1\r\nhost: x\r\n\r\n';
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    socket.write(file + file);
    const other = await open('/calls.csv');
    const isFull = async () => (await fetch(`${baseUrl}/account.json`)).status === 429;
    await eventually(isFull);
    socket.resetAndDestroy();
    other.destroy();
    await eventually(async () => {
      const two = await Promise.all([open('/calls.csv'), open('/calls.csv')]);
      for (const response of two) response.destroy();
      return two.every(({ statusCode }) => statusCode === 200);
    });
  });

  it('cuts a download that breaks off, so that nobody takes it for whole', async () => {
    pageCount = 5;
    const readPage = listCalls;
    listCalls = async (...question) => {
      if (pagesRead === 3) throw new Error('The database is away.');
      return readPage(...question);
    };
    const response = await open('/calls.csv');
    const lines: string[] = [];
    const reading = (async () => {
      for await (const text of createInterface({ input: response })) lines.push(text);
    })();
    await expect(Promise.race([once(response, 'end'), once(response, 'close').then(() => 'cut')])).rejects.toThrow();
    await reading.catch(() => {});
    expect(response.complete).toBe(false);
  });

  it.each(['/calls.csv', '/requests.csv', '/account.json', '/accounts/opev_1.json'])(
    'reads %s no further once its reader may not have it any more, and cuts it',
    async (path) => {
      pageCount = 100_000;
      isAllowed = () => pagesRead < 3;
      const response = await open(path);
      const read = (async () => {
        for await (const _ of response);
      })();
      await expect(read).rejects.toThrow('aborted');
      expect(response.complete).toBe(false);
      expect(pagesRead).toBe(3);
    },
  );

  it('gives no line of a statement or of events to a reader who may not have it any more', async () => {
    isAllowed = () => false;
    for (const path of ['/statement.csv', '/events.csv']) {
      const read = fetch(`${baseUrl}${path}`).then((response) => response.text());
      await expect(read).rejects.toThrow();
    }
  });

  async function waitUntilStill(read: () => number): Promise<number> {
    for (let before = -1; ; ) {
      const now = read();
      if (now === before) return now;
      before = now;
      await sleep(200);
    }
  }
});
