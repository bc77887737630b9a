import type { FakeClock } from '../kernel/clock.js';
import { answerOf, type CookieBrowser, browserPassword as password, reasonOf } from '../test/cookie-browser.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { FactorApp } from '../test/factor-app.js';

const hourMs = 3_600_000;
const usual = { isOn: true, threshold: 1_000, dollars: 20, monthlyCapDollars: 100, hasConsent: true };

describeOnEachDatabase('The automatic top-up of a session that was last proved an hour ago', (openTestDatabase) => {
  const opened = FactorApp.forAll(openTestDatabase);
  let clock: FakeClock;
  let browser: CookieBrowser;
  let people = 0;

  beforeAll(() => {
    clock = opened.clock;
  });
  beforeEach(async () => {
    people += 1;
    browser = opened.newBrowser();
    await browser.signUp(`top-up-${people}@example.com`);
    const setup = answerOf<{ url: string }>(await browser.ask('mutation { startCardSetup { url } }'));
    const id = new URL(setup.url).searchParams.get('card');
    await browser.ask('mutation ($id: ID!) { confirmCardSetup(id: $id) { isOn } }', { id });
  });

  const set = async (change: Partial<typeof usual>) => {
    const query = 'mutation ($input: AutoTopUpInput!) { setAutoTopUp(input: $input) { isOn } }';
    return reasonOf(await browser.ask(query, { input: { ...usual, ...change } }));
  };
  const find = async () => {
    const query = '{ autoTopUp { isOn threshold dollars monthlyCapDollars } }';
    return answerOf(await browser.ask(query));
  };

  it('is not turned on before a proof, and is after it', async () => {
    clock.advanceMs(hourMs);
    expect(await set({})).toBe('fresh_factor_required');
    expect(await find()).toMatchObject({ isOn: false });
    await browser.ask(`mutation { proveFactor(input: { password: "${password}" }) }`);
    expect(await set({})).toBe('done');
  });

  it('is lowered and turned off without one, and nothing of it is raised', async () => {
    expect(await set({})).toBe('done');
    clock.advanceMs(hourMs);
    for (const raised of [{ threshold: 1_001 }, { dollars: 21 }, { monthlyCapDollars: 101 }]) {
      expect(await set(raised)).toBe('fresh_factor_required');
    }
    const lower = { threshold: 900, dollars: 10, monthlyCapDollars: 50 };
    expect(await set(lower)).toBe('done');
    expect(await set({})).toBe('fresh_factor_required');
    expect(await set({ ...lower, isOn: false, hasConsent: false })).toBe('done');
    expect(await find()).toEqual({ isOn: false, ...lower });
    expect(await set(lower)).toBe('fresh_factor_required');
  });
});
