import type { DataSource } from 'typeorm';
import { openOperatorPeople } from '../../composition/operators/open-operators.js';
import { createDataSource } from '../../database/data-source.js';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { entities, migrations } from '../../entities.js';
import { totpCodeAt } from '../../factors/totp.js';
import { FakeClock } from '../../kernel/clock.js';
import { Secret } from '../../kernel/secret.js';
import { describeOnEachDatabase, type TestDatabase } from '../../test/each-database.js';
import { testSecretsKey } from '../../test/factor-app.js';
import { giveSchema } from '../../test/schema-template.js';
import type { OperatorPeople } from './operator-people.js';

describeOnEachDatabase('The first operator', (openTestDatabase) => {
  let source: DataSource;
  let people: OperatorPeople;
  let peopleWithoutKey: OperatorPeople;
  let kind: TestDatabase['kind'];
  const clock = new FakeClock();

  beforeEach(async () => {
    const database = await openTestDatabase();
    await giveSchema(database);
    source = await createDataSource(database.address, { entities, migrations }).initialize();
    const config = {
      publicUrl: 'http://tollgate.test',
      secretsKey: new Secret(testSecretsKey),
      database: database.address,
    };
    const parts = { unitOfWork: new UnitOfWork(source), clock };
    ({ people } = openOperatorPeople(parts, config, 'this server'));
    ({ people: peopleWithoutKey } = openOperatorPeople(parts, { ...config, secretsKey: null }, 'this server'));
    kind = database.kind;
  });
  afterEach(() => source.destroy());

  const tokenOf = (link: string | null) => String(link).split('#')[1] ?? '';
  const join = async (token: string) => {
    const { role, secret } = await people.startJoining(token);
    const code = totpCodeAt(secret, clock.nowMs());
    const email = 'grace@tollgate.test';
    await people.join({ token, email, name: 'Grace', password: 'a long enough password', code });
    return role;
  };

  it('is an owner, made by the link of the last start and by no earlier one; then there are no more such links', async () => {
    const earlier = tokenOf(await people.inviteFirst());
    const last = tokenOf(await people.inviteFirst());
    await expect(people.startJoining(earlier)).rejects.toThrow('used already');
    expect(await join(last)).toBe('owner');
    expect(await people.inviteFirst()).toBeNull();
    expect(await people.list()).toMatchObject([{ email: 'grace@tollgate.test', role: 'owner', disabledAtMs: null }]);
  });

  it('is given no link that could not be used: on MySQL without SECRETS_KEY nobody is invited, and it says so', async () => {
    if (kind === 'sqlite') return expect(await peopleWithoutKey.inviteFirst()).toContain('#');
    expect(await peopleWithoutKey.inviteFirst()).toBeNull();
    await expect(peopleWithoutKey.invite('owner', 'A colleague')).rejects.toThrow(
      /Set SECRETS_KEY, the same for every/,
    );
    expect(await source.query('SELECT id FROM operator_invitation')).toEqual([]);
  });

  it('is not made without the app that the link shows, and the link goes on', async () => {
    const token = tokenOf(await people.inviteFirst());
    const input = {
      token,
      email: 'grace@tollgate.test',
      name: 'Grace',
      password: 'a long enough password',
      code: '000000',
    };
    await expect(people.join(input)).rejects.toThrow('Open the link first');
    expect(await join(token)).toBe('owner');
  });
});
