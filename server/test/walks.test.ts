import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRepositoryRoot } from './architecture/source-tree.js';
import { countEntrances, readWalk, type WalkStep } from './architecture/walks.js';
import { TestApp } from './create-test-app.js';
import { openSqliteDatabase } from './each-database.js';
import { listEnteredFiles } from './entered-files.js';
import { StripeDouble } from './stripe-double.js';

const document = readFileSync(join(findRepositoryRoot(import.meta.dirname), 'docs', 'architecture.md'), 'utf8');
const roomsMax = 12;
const entrancesMax = 2;
/** With a sentence for each, what can be read in two minutes. */
const stepsMax = 25;

describe.each(['One call, file by file', 'One purchase, file by file'])('The walk "%s"', (heading) => {
  const walk = readWalk(document, heading);

  it('is short', () => {
    expect(walk.length).toBeGreaterThan(10);
    expect(walk.length).toBeLessThanOrEqual(stepsMax);
  });
  it('leads through few rooms, and into none of them more than twice', () => {
    const entrances = countEntrances(walk);
    expect(entrances.size).toBeLessThanOrEqual(roomsMax);
    expect([...entrances].filter(([, count]) => count > entrancesMax)).toEqual([]);
  });
});

describe('The walks through the house', () => {
  let stripe: StripeDouble;
  beforeAll(async () => {
    stripe = await StripeDouble.start();
  });
  const app = TestApp.forAll(openSqliteDatabase, () => stripe.settings);
  const account = app.accountForAll(0);
  afterAll(() => stripe.close());

  const buy = async () => {
    const { startCheckout } = await app.graphql<{ startCheckout: { url: string } }>(
      'mutation { startCheckout(input: { dollars: 5 }) { url } }',
      {},
      account.sessionToken,
    );
    const session = startCheckout.url.slice(startCheckout.url.lastIndexOf('/') + 1);
    expect((await stripe.deliver(stripe.books.pay(session), app.baseUrl)).status).toBe(200);
  };
  const call = async () => {
    const response = await app.call(account.secret, {
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(response.status).toBe(200);
    await response.text();
  };

  it.each([
    ['One purchase, file by file', buy],
    ['One call, file by file', call],
  ])('are true: "%s" enters each of its files', async (heading, work) => {
    const entered = await listEnteredFiles(work);
    expect(readWalk(document, heading).filter(({ path }) => !entered.has(path))).toEqual([]);
    // What nothing of it enters is told from what it does.
    expect(entered.has('server/accounts/account-deletion.ts')).toBe(false);
  });
});

describe('The number of times that a walk goes into a room', () => {
  const walkOf = (...steps: [string, number][]): WalkStep[] => steps.map(([path, depth]) => ({ path, depth }));

  it.each([
    ['once for two steps in a row', walkOf(['server/a/1.ts', 0], ['server/a/2.ts', 0]), [['a', 1]]],
    [
      'not again when what it called returns',
      walkOf(['server/a/1.ts', 0], ['server/b/1.ts', 1], ['server/a/2.ts', 1]),
      [
        ['a', 1],
        ['b', 1],
      ],
    ],
    [
      'again when another room calls it',
      walkOf(['server/a/1.ts', 0], ['server/b/1.ts', 1], ['server/a/2.ts', 2]),
      [
        ['a', 2],
        ['b', 1],
      ],
    ],
    [
      'again after another step',
      walkOf(['server/a/1.ts', 0], ['server/b/1.ts', 0], ['server/a/2.ts', 0]),
      [
        ['a', 2],
        ['b', 1],
      ],
    ],
  ])('counts %s', (_, walk, expected) => expect([...countEntrances(walk)]).toEqual(expected));

  it('is read from lists that are set in', () => {
    const text =
      '\n## A walk\n1. `server/a/1.ts`: x\n   1. `server/b/1.ts`: y\n- `server/c/1.ts` is no step\n## More\n1. `server/d/1.ts`: z\n';
    expect(readWalk(text, 'A walk')).toEqual(walkOf(['server/a/1.ts', 0], ['server/b/1.ts', 1]));
    expect(readWalk(text, 'Another')).toEqual([]);
  });
});
