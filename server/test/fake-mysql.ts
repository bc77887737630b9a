import type { Connection } from 'mysql2/promise';
import type { MysqlConnect } from '../ledger/commits/mysql-ledger-store.js';
import { columnsOf } from '../ledger/tables/ledger-columns.js';

/**
 * Where a fault strikes: while connecting; at the session's settings; at the reads; at the writes; at COMMIT, which is not
 * carried out, or is and nobody hears of it; or at a ROLLBACK after any of them.
 */
export type FaultPlace = 'connect' | 'session' | 'read' | 'write' | 'commit_not_done' | 'commit_done' | 'rollback';

/** What this server is asked before each step. @returns what is thrown there; undefined: nothing. */
export type FaultPlan = (place: FaultPlace) => unknown;

/**
 * As much of a MySQL server as settlements need, in memory: it answers the ledger's own statements about holds that exist, and
 * counts how often each call was committed. Everything above the driver is the real thing.
 */
export class FakeMysql {
  /** Call -> how many commits have written its receipt. */
  readonly commits = new Map<string, number>();
  plan: FaultPlan = () => undefined;
  openConnections = 0;

  readonly connect: MysqlConnect = async () => {
    this.#strike('connect');
    return this.#open();
  };

  #open(): Connection {
    this.openConnections += 1;
    let pending: string[] = [];
    let isOpen = true;
    const close = () => {
      if (isOpen) this.openConnections -= 1;
      isOpen = false;
      pending = [];
    };
    const run = (statement: string): unknown => {
      if (statement === 'COMMIT') {
        this.#strike('commit_not_done');
        for (const callId of pending) this.commits.set(callId, (this.commits.get(callId) ?? 0) + 1);
        pending = [];
        this.#strike('commit_done');
      } else if (statement === 'ROLLBACK') {
        pending = [];
        this.#strike('rollback');
      } else if (statement.startsWith('INSERT')) {
        this.#strike('write');
        if (statement.startsWith('INSERT INTO call_record')) pending.push(...readIds(statement, 'call'));
      } else if (statement.startsWith('SET')) {
        this.#strike('session');
      } else if (statement === 'START TRANSACTION') {
        pending = [];
      } else {
        this.#strike('read');
        return this.#answer(statement);
      }
      return [];
    };
    const connection = {
      on: () => connection,
      query: async ({ sql }: { sql: string }) => {
        await Promise.resolve();
        if (!isOpen) throw Object.assign(new Error('The connection is closed.'), { code: 'PROTOCOL_CONNECTION_LOST' });
        return [sql.split(';').map(run)];
      },
      end: async () => close(),
      destroy: close,
    };
    return connection as unknown as Connection;
  }

  #strike(place: FaultPlace): void {
    const fault = this.plan(place);
    if (fault !== undefined) throw fault;
  }

  #answer(statement: string): object[] {
    if (statement.includes('FROM ledger_account'))
      return readIds(statement, 'acct').map((id) => ({ ...toWallet(id), now_ms: 1 }));
    if (statement.includes('AS now_ms')) return [{ now_ms: 1 }];
    if (statement.includes('FROM ledger_hold')) return readIds(statement, 'call').map((id) => this.#toHold(id));
    if (statement.includes('FROM call_record')) {
      return readIds(statement, 'call').map((id) => ({
        call_id: id,
        charged_millicredits: 1,
        absorbed_millicredits: 0,
      }));
    }
    return [];
  }

  #toHold(id: string): object {
    const isSettled = this.commits.has(id);
    const row = Object.fromEntries(columnsOf.ledger_hold.map((column) => [column, null]));
    const wallet = `acct_${id.split('_')[1]}`;
    const state = isSettled ? 'settled' : 'open';
    return {
      ...row,
      id,
      wallet,
      state,
      key_id: 'key_1',
      amount: 100,
      posted: 0,
      millicredits_per_token: 1,
      started_at_ms: 1,
    };
  }
}

/** The ids of this kind in a statement, each once. A call's id begins with its account's: `call_7_1` belongs to `acct_7`. */
function readIds(statement: string, kind: 'acct' | 'call'): string[] {
  return [...new Set([...statement.matchAll(new RegExp(`'(${kind}_\\w+)'`, 'g'))].map(([, id]) => String(id)))];
}

function toWallet(id: string): object {
  const counters = { credits_posted: 1_000_000, debits_posted: 0, debits_pending: 100_000, debt: 0, seq: 1 };
  return { id, state: 'open', frozen_for: null, ...counters };
}
