import { FakeClock } from '../kernel/clock.js';
import { tryAtOnce } from '../test/at-once.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { endpointsOfAccountMax, type WebhookEndpointChoice, WebhookEndpoints } from './webhook-endpoints.js';

describeOnEachDatabase('The webhook endpoints of an account', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let endpoints: WebhookEndpoints;
  let changed: string[];
  let accountId: string;

  beforeEach(async () => {
    changed = [];
    endpoints = new WebhookEndpoints({
      ...{ unitOfWork: fixture.unitOfWork, clock: new FakeClock(), isProduction: true },
      onChange: (id) => changed.push(id),
    });
    ({ accountId } = await fixture.createFundedAccount(0));
  });

  const choice = (change: Partial<WebhookEndpointChoice> = {}): WebhookEndpointChoice => ({
    ...{ name: 'Pager', url: 'https://example.com/hook', events: ['balance.low', 'call.failed'], isOn: true },
    ...change,
  });

  it('have a secret each, which stays when they are changed and is another one once it is rotated', async () => {
    const first = await endpoints.create(accountId, choice());
    const second = await endpoints.create(accountId, choice({ name: 'Books', events: ['budget.used'] }));
    expect(first.secret).toMatch(/^tgwh_[\w-]{43}$/);
    expect(second.secret).not.toBe(first.secret);
    const other = choice({ name: 'Pager 2', url: 'https://example.com/2', events: ['call.refused'], isOn: false });
    await endpoints.update(accountId, first.id, other);
    expect(await endpoints.list(accountId)).toEqual([{ ...first, ...other }, second]);
    const rotated = await endpoints.rotateSecret(accountId, first.id);
    expect(rotated.secret).not.toBe(first.secret);
    expect(await endpoints.find(first.id)).toEqual(rotated);
    await endpoints.remove(accountId, first.id);
    expect(await endpoints.list(accountId)).toEqual([second]);
    expect(changed).toEqual([accountId, accountId, accountId, accountId]);
  });

  it('are made once for one idempotency key, however often and at whatever time it comes', async () => {
    const make = () => endpoints.create(accountId, choice(), 'key of the form');
    const made = await Promise.all([make(), make(), make()]);
    expect(new Set(made.map(({ id, secret }) => `${id} ${secret}`)).size).toBe(1);
    expect(await endpoints.list(accountId)).toEqual([made[0]]);
    const other = endpoints.create(accountId, choice({ name: 'Books' }), 'key of the form');
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    await endpoints.remove(accountId, made[0]?.id ?? '');
    await expect(make()).rejects.toMatchObject({ code: 'conflict', param: 'idempotencyKey' });
    expect(await endpoints.list(accountId)).toEqual([]);
  });

  it('are told of an event only while they are on and want it', async () => {
    const wanting = await endpoints.create(accountId, choice());
    await endpoints.create(accountId, choice({ events: ['budget.used'] }));
    await endpoints.create(accountId, choice({ isOn: false }));
    expect(await endpoints.listFor(accountId, 'balance.low')).toEqual([wanting]);
    expect(await endpoints.listFor(accountId, 'balance.used')).toEqual([]);
  });

  it('are five at most, with a name, a public https address and at least one event', async () => {
    for (const [field, change] of [
      ['name', { name: ' ' }],
      ['name', { name: 'x'.repeat(61) }],
      ['url', { url: 'http://example.com/' }],
      ['url', { url: 'https://10.0.0.1/' }],
      ['events', { events: [] }],
    ] as const) {
      await expect(endpoints.create(accountId, choice(change))).rejects.toMatchObject({ param: field });
    }
    for (let count = 0; count < endpointsOfAccountMax; count += 1) await endpoints.create(accountId, choice());
    await expect(endpoints.create(accountId, choice())).rejects.toMatchObject({ code: 'conflict' });
    expect(await endpoints.list(accountId)).toHaveLength(endpointsOfAccountMax);
  });

  it('are five at most, however many are made at once', async () => {
    await endpoints.create(accountId, choice());
    const { done, refusedAs } = await tryAtOnce(12, () => endpoints.create(accountId, choice()));
    expect([done, refusedAs]).toEqual([endpointsOfAccountMax - 1, ['conflict']]);
    expect(await endpoints.list(accountId)).toHaveLength(endpointsOfAccountMax);
  });

  it('of another account are none', async () => {
    const { id } = await endpoints.create(accountId, choice());
    const other = (await fixture.createFundedAccount(0)).accountId;
    expect(await endpoints.list(other)).toEqual([]);
    await expect(endpoints.update(other, id, choice())).rejects.toMatchObject({ code: 'not_found' });
    await expect(endpoints.rotateSecret(other, id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(endpoints.remove(other, id)).rejects.toMatchObject({ code: 'not_found' });
  });
});
