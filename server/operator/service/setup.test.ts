import { Secret } from '../../kernel/secret.js';
import { tryStripeEvent } from '../../purchases/stripe/stripe-test-event.js';
import { answerOf, reasonOf } from '../../test/cookie-browser.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { eventuallyFind } from '../../test/eventually.js';
import { FactorApp } from '../../test/factor-app.js';
import { FakeSmtp } from '../../test/fake-smtp.js';
import { TestOperator } from '../../test/operator-desk.js';
import { StripeDouble } from '../../test/stripe-double.js';

interface Finding {
  readonly check: string;
  readonly standing: string;
  readonly text: string;
  readonly remedy: string | null;
}

describeOnEachDatabase('What operators see of the setup', (openTestDatabase) => {
  let smtp: FakeSmtp;
  beforeAll(async () => {
    smtp = await FakeSmtp.start();
  });
  const of = FactorApp.forAll(openTestDatabase, () => ({
    ...{ SMTP_URL: smtp.url, MAIL_FROM: 'no-reply@tollgate.test' },
    ...{ REDIS_URL: '', DEMO_PROVIDER: 'on' },
  }));
  const owner = TestOperator.forAll(of, 'owner');
  afterAll(() => smtp.close());

  it('sends a test mail to whoever asks for it, with a line in the log', async () => {
    const trial = answerOf<{ sendTestMail: object }>(await owner.change('sendTestMail { isSent fault }')).sendTestMail;
    expect(trial).toEqual({ isSent: true, fault: null });
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.mails[0]).toMatch(new RegExp(`^To: <?${owner.email}`, 'm'));
    const events = await of.app.query("SELECT subject FROM operator_event WHERE action = 'test_mail'");
    expect(events).toEqual([{ subject: owner.id }]);
  });

  it('says of each thing how it stands and what to do, and shows no secret', async () => {
    const fields = 'setup { publicUrl isProduction findings { check standing text remedy } }';
    const { setup } = answerOf<{ setup: { publicUrl: string; findings: Finding[] } }>(await owner.ask(fields));
    const of = (check: string) => setup.findings.filter((finding) => finding.check === check);
    expect([...new Set(setup.findings.map(({ check }) => check))].toSorted()).toEqual(
      ['disk', 'exposure', 'mail', 'models', 'redis', 'stripe'].toSorted(),
    );
    expect(of('mail')).toMatchObject([{ standing: 'OK' }]);
    expect(of('models')).toMatchObject([{ standing: 'OK', text: expect.stringContaining('can be called') }]);
    expect(of('stripe')).toMatchObject([{ standing: 'OFF', text: expect.stringContaining('STRIPE_SECRET_KEY') }]);
    expect(JSON.stringify(setup)).not.toContain(smtp.url);
    await smtp.close();
    const again = answerOf<{ setup: { findings: Finding[] } }>(await owner.ask(fields)).setup.findings;
    expect(again.find(({ check }) => check === 'mail')).toMatchObject({
      ...{ standing: 'FAILED', remedy: expect.stringContaining('SMTP_URL') },
    });
    const trial = answerOf<{ sendTestMail: { isSent: boolean; fault: string } }>(
      await owner.change('sendTestMail { isSent fault }'),
    ).sendTestMail;
    expect(trial).toEqual({ isSent: false, fault: expect.stringContaining('Correct SMTP_URL') });
    smtp = await FakeSmtp.start();
  }, 30_000);

  it('are for owners alone', async () => {
    const support = await TestOperator.join(of, 'support');
    expect(reasonOf(await support.ask('setup { publicUrl }'))).toBe('forbidden');
    expect(reasonOf(await support.change('sendTestMail { isSent }'))).toBe('forbidden');
  });
});

describeOnEachDatabase('A test event of Stripe’s', (openTestDatabase) => {
  let double: StripeDouble;
  beforeAll(async () => {
    double = await StripeDouble.start();
  });
  const of = FactorApp.forAll(openTestDatabase, () => double.settings);
  const owner = TestOperator.forAll(of, 'owner');
  afterAll(() => double.close());

  const tryIt = (change: Partial<Parameters<typeof tryStripeEvent>[0]> = {}) => {
    const { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_API_BASE } = double.settings;
    return tryStripeEvent({
      settings: {
        secretKey: new Secret(String(STRIPE_SECRET_KEY)),
        webhookSecrets: [new Secret(String(STRIPE_WEBHOOK_SECRET))],
        apiBase: String(STRIPE_API_BASE),
      },
      publicUrl: 'https://credits.example.com',
      unitOfWork: { reader: { existsBy: async () => false } as never },
      timeoutMs: 0,
      ...change,
    });
  };

  it('is made by Stripe, comes to the webhook, credits nothing, and stands in the log', async () => {
    const trying = owner.change('sendTestEvent { isReceived fault }');
    const event = await eventuallyFind(
      () => double.books.events.find(({ type }) => type === 'checkout.session.expired'),
      20,
    );
    expect((await double.deliver(event, of.app.baseUrl)).status).toBe(200);
    expect(answerOf(await trying)).toEqual({ sendTestEvent: { isReceived: true, fault: null } });
    expect(await of.app.query('SELECT state, purchase_id FROM stripe_event')).toEqual([
      { state: 'ignored', purchase_id: null },
    ]);
    const events = await of.app.query("SELECT subject FROM operator_event WHERE action = 'test_event'");
    expect(events).toEqual([{ subject: owner.id }]);
  }, 60_000);

  it('that does not come, or cannot be made, is told with the remedy', async () => {
    expect((await tryIt()).fault).toMatch(
      /did not come\. At Stripe, the webhook has to be https:\/\/credits\.example\.com\/webhooks\/stripe/,
    );
    expect((await tryIt({ settings: null })).fault).toContain('STRIPE_SECRET_KEY is not set');
    double.isAway = true;
    expect((await tryIt()).fault).toMatch(/^Stripe did not do it: .*Correct STRIPE_SECRET_KEY/);
  }, 60_000);
});
