import { describeInBrowser } from '../support/browser.js';
import { countInRows } from '../support/count-in-rows.js';
import {
  buyCredits,
  callProxy,
  emailOf,
  findMailedLink,
  journeyPassword,
  nameOnPage,
  signUpOnPage,
} from '../support/page-account.js';
import { PageGallery } from '../support/page-gallery.js';
import { useSharedStack } from '../support/shared-stack.js';

describeInBrowser('an account of several people', (openPage) => {
  const stack = useSharedStack();

  it('takes somebody from the mail of an invitation to a first call, offers what the role may do, and is left at once when they are removed', async () => {
    const owner = await openPage({ baseUrl: stack.baseUrl });
    await signUpOnPage(owner.page, 'Mary Jackson');
    await buyCredits(owner.page, 5);
    await owner.page.goto(await findMailedLink(owner.page, emailOf('Mary Jackson'), 'verify-email'));
    await owner.page.getByRole('button', { name: 'Verify my address' }).click();
    await owner.page.getByText('Your address is verified').waitFor();
    await owner.page.goto('/settings');
    await owner.page.getByRole('region', { name: 'Members' }).getByRole('link').click();
    await owner.page.getByRole('heading', { name: 'Members', level: 1 }).waitFor();
    await owner.page.getByRole('textbox', { name: 'E-mail' }).fill(emailOf('Dorothy Vaughan'));
    await owner.page.getByRole('button', { name: 'Invite', exact: true }).click();
    await owner.page.getByRole('button', { name: /^Revoke the invitation/ }).waitFor();

    const opened = await openPage({ baseUrl: stack.baseUrl });
    const { page } = opened;
    await page.goto(await findMailedLink(page, emailOf('Dorothy Vaughan'), 'join'));
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByRole('textbox', { name: 'E-mail' }).fill(emailOf('Dorothy Vaughan'));
    await page.getByRole('textbox', { name: 'Password' }).fill(journeyPassword);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: `Join ${nameOnPage('Mary Jackson')}?` }).waitFor();
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Create your key' }).click();
    const secret = (await page.getByRole('region', { name: 'your key', exact: true }).innerText()).trim();
    expect((await callProxy(stack.baseUrl, secret, { model: 'demo-small', max_tokens: 5 })).status).toBe(200);

    await page.goto('/credits');
    await page.getByText(/you need the role owner, admin or billing. Your role here is developer/).waitFor();
    expect(await page.getByRole('button', { name: /^Buy/ }).count()).toBe(0);
    const views = ['members', 'settings', 'keys', 'credits'].map((title) => ({
      title,
      path: title === 'members' ? '/settings/members' : `/${title}`,
    }));
    const { faults: looks } = await new PageGallery(opened).lookAtAll('member', views);
    expect(looks).toEqual([]);

    // To the account of one's own, and back.
    await page.goto('/');
    const menu = page.getByRole('button', { name: /^Account of/ });
    for (const [name, role] of [
      ['Dorothy Vaughan', 'owner'],
      ['Mary Jackson', 'developer'],
    ] as const) {
      await menu.click();
      await page.getByRole('button', { name: `${nameOnPage(name)} (${role})` }).click();
      await page.getByRole('button', { name: new RegExp(`^Account of ${nameOnPage(name)}`) }).waitFor();
    }

    await owner.page.setViewportSize({ width: 1440, height: 900 });
    await owner.page.goto('/settings/members');
    const row = owner.page.getByRole('row', { name: nameOnPage('Dorothy Vaughan') });
    await row.waitFor();
    expect(await countInRows(row.getByRole('button'))).toEqual([3]);
    // On a tablet each member is a card, and two stand beside each other.
    await owner.page.setViewportSize({ width: 768, height: 900 });
    const card = owner.page.getByRole('listitem').filter({ hasText: emailOf('Dorothy Vaughan') });
    await card.waitFor();
    expect(await countInRows(card.getByRole('button'))).toEqual([3]);
    await owner.page.setViewportSize({ width: 1440, height: 900 });
    await owner.page.getByRole('button', { name: `Budget of ${nameOnPage('Dorothy Vaughan')}` }).click();
    await owner.page.getByRole('textbox', { name: 'Monthly budget' }).fill('0');
    await owner.page.getByRole('button', { name: 'Save' }).click();
    await owner.page.getByText('Budget saved').waitFor();
    await owner.page.getByText(/^0\.\d+ of 0 credits$/).waitFor();
    expect((await callProxy(stack.baseUrl, secret, { model: 'demo-small', max_tokens: 5 })).status).toBe(402);
    await owner.page.getByRole('button', { name: `Remove ${nameOnPage('Dorothy Vaughan')}` }).click();
    await owner.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await owner.page.getByText('Member removed').waitFor();
    await page.goto('/keys');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect((await callProxy(stack.baseUrl, secret, { model: 'demo-small' })).status).toBe(401);
    expect(owner.faults).toEqual([]);
    expect(opened.faults.filter((fault) => !fault.includes('/graphql'))).toEqual([]);
  }, 180_000);
});
