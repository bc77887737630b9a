import { createServer } from 'node:http';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { Secret } from '../kernel/secret.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { FakeSmtp } from '../test/fake-smtp.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { listenLocally, urlOf } from '../test/local-server.js';
import { KeptMails } from './kept-mails.js';
import { MailSender } from './mail-sender.js';
import { createMailer, type Mailer } from './mailer.js';
import { type NewNotice, Outbox } from './outbox.js';

describeOnEachDatabase('the outbox and its sender', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let clock: FakeClock;
  let unitOfWork: UnitOfWork;
  let outbox: Outbox;
  let smtp: FakeSmtp;
  let log: string[];
  let senders: MailSender[];
  let verifiedEmail: string | null;
  let links: Map<string, string>;
  let held: Promise<void>;
  let release: () => void;
  let linkOwner: { to?: string; accountId?: string };

  beforeEach(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    clock = new FakeClock();
    unitOfWork = fixture.unitOfWork;
    const warn = (event: string, fields?: object) => void log.push(JSON.stringify({ event, ...fields }));
    outbox = new Outbox(unitOfWork, clock, 'operator@example.com', { ...silentLogger, warn });
    smtp = await FakeSmtp.start();
    log = [];
    senders = [];
    verifiedEmail = 'ada@example.com';
    links = new Map();
    linkOwner = {};
    held = new Promise((resolve) => (release = resolve));
  });

  afterEach(async () => {
    release();
    for (const sender of senders) await sender.close();
    await smtp.close();
    await fixture.close();
  });

  const open = (change: { mailbox?: KeptMails; mailer?: Mailer | null } = {}) => {
    const write = (event: string, fields?: object) => void log.push(JSON.stringify({ event, ...fields }));
    const settings = { smtpUrl: new Secret(smtp.url), from: 'Tollgate <no-reply@tollgate.test>' };
    const sender = new MailSender({
      unitOfWork,
      clock,
      logger: { info: write, warn: write, error: write },
      mailer: change.mailer === undefined ? createMailer(settings, 'http://tollgate.test') : change.mailer,
      findEmail: async () => verifiedEmail,
      createLink: async (linkId) => {
        const url = links.get(linkId);
        return url === undefined ? null : { url, command: 'verification-link', ...linkOwner };
      },
      mailbox: change.mailbox ?? null,
    });
    senders.push(sender);
    return sender;
  };
  const put = (change: Partial<NewNotice> = {}) => {
    const notice = {
      subjectKey: 'low:1',
      accountId: 'acct_1',
      channel: 'email',
      recipient: 'ada@example.com',
    } as const;
    const words = { title: 'Your balance is low', body: 'Buy credits.' };
    return unitOfWork.transact((transaction) => outbox.put(transaction, { ...notice, ...words, ...change }));
  };
  const findNotice = async () => {
    const [row] = await fixture.source.query('SELECT state, attempts, due_at_ms FROM notice');
    return { state: row.state, attempts: Number(row.attempts), waitsMs: Number(row.due_at_ms) - clock.nowMs() };
  };

  it('mails a notice once, however many senders look and however often it was put', async () => {
    expect(await put()).toBe(true);
    expect(await put()).toBe(false);
    const crowd = [open(), open(), open(), open()];
    await Promise.all([...crowd, ...crowd].map((sender) => sender.sendDue()));
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.mails[0]).toMatch(/To: ada@example\.com/);
    expect(smtp.mails[0]).toMatch(/Message-ID: <note_\w+@tollgate\.test>/i);
    expect(smtp.mails[0]).toMatch(/Buy credits\./);
    expect(await findNotice()).toMatchObject({ state: 'sent', attempts: 1 });
  });

  it('tries again after longer and longer pauses, and gives up in the end and says so', async () => {
    smtp.isBusy = true;
    await put();
    const sender = open();
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await sender.sendDue();
      await sender.sendDue();
      const { waitsMs, attempts } = await findNotice();
      expect(attempts).toBe(attempt + 1);
      pauses.push(waitsMs);
      clock.advanceMs(waitsMs);
    }
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses[0]).toBe(30_000);
    await sender.sendDue();
    expect(await findNotice()).toMatchObject({ state: 'given_up', attempts: 7 });
    expect(log.join('')).toContain('notice_given_up');
    expect(smtp.mails).toEqual([]);
  });

  it('sends what was under way in a process that died, two minutes later', async () => {
    await put();
    void open({ mailer: { send: () => held, close: () => {} } }).sendDue();
    await eventually(async () => (await findNotice()).attempts > 0);
    await open().sendDue();
    expect(smtp.mails).toHaveLength(0);
    clock.advanceMs(120_000);
    await open().sendDue();
    expect(smtp.mails).toHaveLength(1);
  });

  describe('where the database takes nothing just after the mail server has taken a mail', () => {
    const away = 'ALTER TABLE notice RENAME TO notice_away';
    const back = 'ALTER TABLE notice_away RENAME TO notice';
    let sent: string[];
    let sender: MailSender;

    beforeEach(async () => {
      sent = [];
      links.set('veri_1', 'http://tollgate.test/verify-email#tgv_secret');
      await put({ linkId: 'veri_1' });
      const send = async ({ text }: { readonly text: string }) => {
        sent.push(text);
        await fixture.source.query(away);
      };
      sender = open({ mailer: { send, close: () => {} } });
    });

    it('does not mail it again, which would make its link worthless, but tries to write that down', async () => {
      const sending = sender.sendDue();
      await eventually(() => log.join('').includes('notice_not_noted'));
      await fixture.source.query(back);
      await sending;
      expect(await findNotice()).toMatchObject({ state: 'sent', attempts: 1 });
      expect(sent).toHaveLength(1);
      expect(log.join('')).not.toContain('tgv_secret');
    });

    it('writes it down when it takes the mail up again, however long that was, and does not mail it again', async () => {
      const sending = sender.sendDue();
      await eventually(() => log.join('').includes('notice_not_noted'));
      clock.advanceMs(120_000);
      await sending;
      await fixture.source.query(back);
      await sender.sendDue();
      expect(await findNotice()).toMatchObject({ state: 'sent', attempts: 2 });
      expect(sent).toHaveLength(1);
    });
  });

  it('mails at once, however many webhooks wait for receivers that say nothing', async () => {
    const silent = createServer(() => {});
    await listenLocally(silent);
    const recipient = `${urlOf(silent)}/`;
    for (const accountId of ['acct_1', 'acct_2', 'acct_3'])
      for (let n = 0; n < 10; n += 1)
        await put({ subjectKey: `low:${accountId}:${n}`, accountId, channel: 'webhook', recipient });
    await put();
    await open().sendDue();
    expect(smtp.mails).toHaveLength(1);
    expect(await fixture.countRows('notice', "channel = 'webhook' AND attempts = 0")).toBe(30);
    silent.close();
  });

  it('mails others while the mail server is long over the mails to one address, and no two of these at once', async () => {
    const begun: string[] = [];
    const send = async ({ to }: { readonly to: string }) => {
      begun.push(to);
      if (to === 'slow@example.com') await held;
    };
    const slow = { accountId: null, recipient: 'slow@example.com' };
    for (let n = 0; n < 60; n += 1) await put({ ...slow, subjectKey: `quarantined:${n}` });
    await put();
    void open({ mailer: { send, close: () => {} } }).sendDue();
    await eventually(() => begun.length > 1);
    expect(begun.toSorted()).toEqual(['ada@example.com', 'slow@example.com']);
  });

  it('waits for a mail server no longer than the time that a mail has, and tries again later', async () => {
    smtp.isSilent = true;
    await put();
    const settings = { smtpUrl: new Secret(smtp.url), from: 'Tollgate <no-reply@tollgate.test>' };
    await open({ mailer: createMailer(settings, 'http://tollgate.test', { mailTimeoutMs: 20 }) }).sendDue();
    expect(await findNotice()).toMatchObject({ state: 'waiting', attempts: 1, waitsMs: 30_000 });
    expect(log.join('')).toContain('The mail server took too long over the mail.');
  });

  it('logs what it would mail where there is no mail server, without its text', async () => {
    await put({ body: 'the text of the mail' });
    await open({ mailer: null }).sendDue();
    expect(await findNotice()).toMatchObject({ state: 'logged' });
    expect(log.join('')).toContain('mail_without_smtp');
    expect(log.join('')).not.toContain('the text of the mail');
  });

  it('tells the operator of one thing once', async () => {
    const notice = { subjectKey: 'quarantined:evt_1', title: 'It does not fit', body: 'evt_1\n' };
    await Promise.all([outbox.tellOperator(notice), outbox.tellOperator(notice)]);
    await open().sendDue();
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.mails[0]).toContain('operator@example.com');
    await new Outbox(unitOfWork, clock, null, silentLogger).tellOperator({ ...notice, subjectKey: 'another' });
    expect(await fixture.countRows('notice')).toBe(1);
  });

  it('mails nothing to an address that its account has not proved to read', async () => {
    await put({ subjectKey: 'low:unproved' });
    verifiedEmail = null;
    await open().sendDue();
    await put({ subjectKey: 'low:another' });
    verifiedEmail = 'ada@example.org';
    await open().sendDue();
    expect(smtp.mails).toEqual([]);
    expect(await fixture.countRows('notice', "state = 'dropped'")).toBe(2);
  });

  it('makes a secret link when the mail leaves, whether the address is proved or not, and stores it nowhere', async () => {
    verifiedEmail = null;
    links.set('veri_1', 'http://tollgate.test/verify-email#tgv_secret');
    smtp.isBusy = true;
    await put({ subjectKey: 'verify:1', linkId: 'veri_1' });
    await put({ subjectKey: 'verify:2', linkId: 'veri_gone' });
    await open().sendDue();
    expect(JSON.stringify(await fixture.source.query('SELECT * FROM notice'))).not.toContain('tgv_secret');
    smtp.isBusy = false;
    clock.advanceMs(30_000);
    await open().sendDue();
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.mails[0]).toContain('tgv_secret');
    expect(await fixture.countRows('notice', "state = 'dropped'")).toBe(1);
    expect(JSON.stringify(await fixture.source.query('SELECT * FROM notice'))).not.toContain('tgv_secret');
    expect(log.join('')).not.toContain('tgv_secret');
  });

  it('says where the link is where there is no mail server', async () => {
    links.set('veri_1', 'http://tollgate.test/verify-email#tgv_secret');
    await put({ linkId: 'veri_1' });
    await open({ mailer: null }).sendDue();
    expect(log.join('')).toContain('npm run tollgate -- verification-link');
    expect(log.join('')).not.toContain('tgv_secret');
  });

  it('keeps what it would mail for a developer, the last hundred, and logs none of its links', async () => {
    const mailbox = new KeptMails();
    links.set('veri_1', 'http://tollgate.test/verify-email#tgv_secret');
    await put({ linkId: 'veri_1' });
    await open({ mailer: null, mailbox }).sendDue();
    expect(mailbox.list()).toMatchObject([{ to: 'ada@example.com', title: 'Your balance is low' }]);
    expect(mailbox.list()[0]?.text).toContain('tgv_secret');
    expect(log.join('')).not.toContain('tgv_secret');
    for (let n = 0; n < 150; n += 1) mailbox.keep({ id: `${n}`, to: 'a@b.c', title: 't', text: 't' }, n);
    expect(mailbox.list().map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, n) => `${149 - n}`));
  });

  it('mails a link about nobody to the address that is found when it leaves, and forgets one that nobody has', async () => {
    links.set('link_1', 'http://tollgate.test/reset-password#tgl_secret');
    linkOwner = { to: 'grace@example.com', accountId: 'acct_9' };
    await put({ subjectKey: 'reset:1', accountId: null, recipient: '', linkId: 'link_1' });
    await put({ subjectKey: 'reset:2', accountId: null, recipient: '', linkId: 'link_of_nobody' });
    await open().sendDue();
    expect(smtp.mails).toHaveLength(1);
    expect(smtp.mails[0]).toMatch(/To: grace@example\.com/);
    expect(await fixture.countRows('notice', "state = 'sent'")).toBe(1);
    expect(await fixture.countRows('notice')).toBe(1);
  });

  it('tells of the safety of an account, however many other notices it caused first', async () => {
    for (let n = 0; n < 12; n += 1) await put({ subjectKey: `low:${n}` });
    expect(await put({ subjectKey: 'password-reset:1' })).toBe(true);
    expect(await fixture.countRows('notice')).toBe(11);
  });

  it('takes ten notices of an account in an hour each way, and says what it refused', async () => {
    for (let n = 0; n < 30; n += 1) await put({ subjectKey: `low:mail:${n}` });
    for (let n = 0; n < 30; n += 1) await put({ subjectKey: `low:hook:${n}`, channel: 'webhook' });
    await put({ subjectKey: 'low:neighbour', accountId: 'acct_2' });
    await put({ subjectKey: 'verify:1', linkId: 'veri_1' });
    expect(await fixture.countRows('notice', "channel = 'email' AND account_id = 'acct_1' AND link_id IS NULL")).toBe(
      10,
    );
    expect(await fixture.countRows('notice', "channel = 'webhook'")).toBe(10);
    expect(await fixture.countRows('notice')).toBe(22);
    expect(log.filter((line) => line.includes('notice_refused'))).toHaveLength(40);
    clock.advanceMs(3_600_000);
    expect(await put({ subjectKey: 'low:later' })).toBe(true);
  });
});
