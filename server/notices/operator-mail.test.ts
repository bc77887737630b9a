import { loadConfig } from '../config/config.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { FakeSmtp } from '../test/fake-smtp.js';
import { findConfigFaults } from '../test/find-config-faults.js';
import { DoubleShop } from '../test/stripe-double-shop.js';

const token = 'a-token-of-the-operator';

describeOnEachDatabase('an event that does not fit', (openTestDatabase) => {
  it('is mailed to the operator once, counted in the metrics, and credits nothing', async () => {
    const smtp = await FakeSmtp.start();
    const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'Tollgate <no-reply@tollgate.test>' };
    const operator = { OPERATOR_EMAIL: 'operator@example.com', METRICS_TOKEN: token };
    const shop = await DoubleShop.open(await openTestDatabase(), { ...mail, ...operator });
    const account = await shop.app.createAccount(0);
    const checkout = await shop.startCheckout(account);
    const event = shop.double.books.pay(checkout.sessionId);
    Object.assign(shop.double.books.getSession(checkout.sessionId), { amount_total: 1 });
    for (let delivery = 0; delivery < 3; delivery += 1) expect(await shop.deliver(event)).toBe(200);
    // The test's own time limit ends the wait: the outbox is looked at every few seconds.
    const mailsToOperator = () => smtp.mails.filter((mail) => mail.includes('To: operator@example.com'));
    await eventually(() => mailsToOperator().length > 0, 50);
    expect(mailsToOperator()).toHaveLength(1);
    expect(mailsToOperator()[0]).toContain(event.id);
    const metrics = await fetch(`${shop.app.baseUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    expect(await metrics.text()).toMatch(/^tollgate_payment_events_quarantined 1$/m);
    expect((await shop.app.findWallet(account.accountId)).posted).toBe(0);
    await shop.close();
    await smtp.close();
  });

  it('is mailed once a day where it names a purchase that nobody here knows, and each is set aside', async () => {
    const shop = await DoubleShop.open(await openTestDatabase(), { OPERATOR_EMAIL: 'operator@example.com' });
    const checkout = await shop.startCheckout(await shop.app.createAccount(0));
    for (let n = 0; n < 3; n += 1) {
      const stray = { ...shop.double.books.getSession(checkout.sessionId), id: `cs_test_stray${n}` };
      shop.double.books.sessions.push({ ...stray, client_reference_id: `pur_${`${n}`.repeat(26)}` });
      const event = shop.double.books.emit('checkout.session.completed', stray);
      expect(await shop.deliver({ ...event, created: Math.floor(Date.now() / 1_000) - 601 })).toBe(200);
    }
    expect(await shop.listQuarantined()).toHaveLength(3);
    const mails = await shop.app.query("SELECT body FROM notice WHERE subject_key LIKE 'quarantined:%'");
    expect(mails).toEqual([
      { body: expect.stringContaining('a copy of this database sells by the same Stripe account') },
    ]);
    await shop.close();
  });
});

describe('the settings of mail', () => {
  it.each<[string, Record<string, string>]>([
    ['a mail server without a sender', { SMTP_URL: 'smtp://mail.example.com' }],
    ['another kind of address', { SMTP_URL: 'https://mail.example.com', MAIL_FROM: 'a@example.com' }],
    ['a sender that is no address', { MAIL_FROM: 'Tollgate' }],
    ['a sender with a second line', { MAIL_FROM: 'Tollgate\r\nBcc: x <a@example.com>' }],
    ['an operator without an address', { OPERATOR_EMAIL: 'operator' }],
  ])('refuse %s', (_, environment) => expect(findConfigFaults(environment)).toHaveLength(1));

  it('keep the mail server’s password out of sight', () => {
    const { mail } = loadConfig({ SMTP_URL: 'smtp://user:hidden@mail.example.com', MAIL_FROM: 'a@example.com' });
    expect(JSON.stringify(mail)).not.toContain('hidden');
    expect(mail?.from).toBe('a@example.com');
  });
});
