import { setTimeout as sleep } from 'node:timers/promises';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { testSecretsKey } from '../test/factor-app.js';
import { runWarmProgram } from '../test/warm-programs.js';
import { totpCodeAt } from './totp.js';

const newKey = 'another-secrets-key-of-this-test-9876543210';
const credentials = 'email: "ada@example.com", password: "a long enough password"';
const stepMs = 30_000;

/** The code of the period before is taken until this one ends, so it must not end at once. */
async function untilWellWithinStep(): Promise<void> {
  const leftMs = stepMs - (Date.now() % stepMs);
  if (leftMs < 5_000) await sleep(leftMs + 100);
}

describeOnEachDatabase('A new SECRETS_KEY', (openTestDatabase) => {
  it('opens what the old one has sealed while both are set, and alone after `secrets reseal`', async () => {
    const database = await openTestDatabase();
    const old = await TestApp.startBeside(database, { SECRETS_KEY: testSecretsKey });
    const { signUp } = await old.graphql<{ signUp: { sessionToken: string } }>(
      `mutation { signUp(input: { ${credentials} }) { sessionToken } }`,
    );
    const { startAuthenticatorApp: begun } = await old.graphql<{ startAuthenticatorApp: { secret: string } }>(
      'mutation { startAuthenticatorApp { secret } }',
      {},
      signUp.sessionToken,
    );
    // Each code is taken once, and later ones only after it: that of the period before, of now, and of the next.
    const codeAt = (offsetMs: number) => totpCodeAt(begun.secret, Date.now() + offsetMs);
    await untilWellWithinStep();
    const confirm = `mutation { confirmAuthenticatorApp(input: { code: "${codeAt(-stepMs)}" }) }`;
    await old.graphql(confirm, {}, signUp.sessionToken);
    await old.close();
    const signIn = async (keys: Record<string, string>, offsetMs: number) => {
      const app = await TestApp.startBeside(database, keys);
      const query = `mutation { signIn(input: { ${credentials}, code: "${codeAt(offsetMs)}" }) { account { id } } }`;
      const outcome = await app.graphql(query).then(
        () => 'in',
        () => 'refused',
      );
      await app.close();
      return outcome;
    };
    const both = { SECRETS_KEY: newKey, SECRETS_KEY_OLD: testSecretsKey };
    expect(await signIn({ SECRETS_KEY: newKey }, 0)).toBe('refused');
    expect(await signIn(both, 0)).toBe('in');
    const reseal = (keys: Record<string, string>) =>
      runWarmProgram('tollgate.js', database.address, { words: ['secrets', 'reseal'], settings: keys });
    const lost = await reseal({ SECRETS_KEY: newKey });
    expect(lost.exitCode).toBe(2);
    expect(lost.log).toContain('1 are opened not by SECRETS_KEY, and SECRETS_KEY_OLD is not set');
    const done = await reseal(both);
    expect(done.exitCode).toBe(0);
    expect(done.output).toContain('1 secrets were resealed with SECRETS_KEY; 0 already were.');
    expect(done.output).toContain('SECRETS_KEY_OLD is no longer needed: remove it');
    // Whose note of a day cannot be sealed anew, since nobody knows the word that it was asked for by.
    expect(done.output).toContain('for 24 hours, are not resealed');
    const { output } = await reseal({ SECRETS_KEY: newKey });
    expect(output).toContain('0 secrets were resealed with SECRETS_KEY; 1 already');
    expect(output).toContain('SECRETS_KEY_OLD is not set, and no secret needs it.');
    expect(output).not.toContain('remove it');
    expect(await signIn({ SECRETS_KEY: newKey }, stepMs)).toBe('in');
    await database.drop();
  }, 60_000);
});
