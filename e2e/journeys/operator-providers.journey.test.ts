import { KeyedUpstream } from '../../server/test/keyed-upstream.js';
import { describeInBrowser } from '../support/browser.js';
import { joinAsOperator } from '../support/operator-page.js';
import { useOwnStack } from '../support/own-stack.js';
import { press } from '../support/press.js';

const oldKey = 'sk-of-the-environment-0123456789';
const newKey = 'sk-set-at-the-console-0123456789';
describeInBrowser('providers and prices at the console', (openPage) => {
  let upstream: KeyedUpstream;
  beforeAll(async () => {
    upstream = await KeyedUpstream.start();
  });
  afterAll(() => upstream.close());
  const stack = useOwnStack(() => ({ OPENAI_API_KEY: oldKey, OPENAI_BASE_URL: upstream.baseUrl }));

  it('replaces a provider’s key that has ended, without a restart, and sets prices after a look at what they change', async () => {
    upstream.refused.set(oldKey, { status: 401 });
    const { page, faults } = await openPage({ baseUrl: stack.baseUrl });
    await joinAsOperator(page, stack, 'Grace');
    await page.getByRole('link', { name: 'Providers', exact: true }).click();
    const card = page.getByRole('region', { name: 'OpenAI', exact: true });
    await card.getByRole('button', { name: 'Test: OpenAI' }).click();
    await card.getByText('status 401').waitFor();
    await card.getByRole('button', { name: 'Add a key: OpenAI' }).click();
    const adding = page.getByRole('dialog', { name: 'Add a key' });
    await adding.getByLabel('Key').fill(newKey);
    await adding.getByRole('textbox', { name: 'Reason' }).fill('The old one has ended');
    await adding.getByRole('button', { name: 'Add a key' }).click();
    await card.getByText('set here').first().waitFor();
    await card.getByRole('button', { name: 'Test: OpenAI' }).click();
    await card.getByText('answered after').waitFor();
    expect(upstream.asked).toEqual([oldKey, newKey]);

    await page.getByRole('link', { name: 'Prices', exact: true }).click();
    await page.getByRole('textbox', { name: 'Text' }).fill('tiers: { gold: 5 }\nmodels: { gpt-4o: { tier: gold } }');
    await press(page, 'See what changes');
    await page.getByRole('table', { name: 'What changes' }).getByText('gpt-4o', { exact: true }).waitFor();
    await press(page, 'Set these prices');
    const setting = page.getByRole('dialog', { name: 'Set these prices' });
    await setting.getByRole('textbox', { name: 'Reason' }).fill('A new tier');
    await setting.getByRole('button', { name: 'Set these prices' }).click();
    await setting.getByText('Version 1 is set.').waitFor();
    await press(page, 'Done');
    await page.getByRole('region', { name: 'Versions' }).getByText('in force').waitFor();
    await page.getByRole('link', { name: 'Log', exact: true }).click();
    await page.getByText('apply prices').waitFor();
    await page.getByText('add provider key').waitFor();
    expect(faults).toEqual([]);
  }, 120_000);
});
