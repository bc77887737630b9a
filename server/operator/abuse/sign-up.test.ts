import { answerOf, type CookieBrowser, reasonOf } from '../../test/cookie-browser.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { FactorApp } from '../../test/factor-app.js';
import { LocalOidcProvider } from '../../test/local-oidc-provider.js';
import { TestOperator } from '../../test/operator-desk.js';
import { postGraphql } from '../../test/post-graphql.js';

const publicUrl = 'http://tollgate.test';
const dayMs = 24 * 60 * 60_000;
const input = { email: 'ada@example.com', password: 'a long enough password' };

interface Answer {
  readonly data?: { readonly signUp?: { readonly account: { readonly id: string } } | null } | null;
  readonly errors?: readonly { readonly message: string }[];
}

describeOnEachDatabase('Who can sign up', (openTestDatabase) => {
  let provider: LocalOidcProvider;
  let support: TestOperator;
  let people = 0;

  beforeAll(async () => {
    provider = await LocalOidcProvider.start(`${publicUrl}/sign-in/callback/local`);
  });
  const of = FactorApp.forAll(openTestDatabase, () => ({ ...provider.settings, SIGNUPS_PER_HOUR: '5' }));
  beforeAll(async () => {
    support = await TestOperator.join(of, 'support');
  });
  afterAll(() => provider.close());
  beforeEach(async () => {
    people += 1;
    provider.person = { sub: `person-${people}`, email: emailOf(), email_verified: true, name: 'Ada' };
    await setMode('INVITED');
  });

  const emailOf = () => `person-${people}@example.com`;
  const setMode = async (mode: string) => {
    const signUpMode = { mode, reason: 'A test' };
    answerOf(await support.change('setSignUpMode(input: $signUpMode)', { signUpMode }));
  };
  const invite = async (email = emailOf()) => {
    const signUpInvite = { email, isMailed: false, reason: 'A customer' };
    const made = await support.change('inviteToSignUp(input: $signUpInvite) { link invitation { id } }', {
      signUpInvite,
    });
    const { link, invitation } = answerOf<{ inviteToSignUp: { link: string; invitation: { id: string } } }>(
      made,
    ).inviteToSignUp;
    expect(link).toMatch(/^http[^#]+\/sign-up#tgs_[\w-]{43}$/);
    return { token: String(link.split('#')[1]), id: invitation.id };
  };
  let networks = 0;
  const signUp = async (fields: object, address?: string): Promise<Answer> => {
    networks += 1;
    const from = address ?? `203.0.113.${networks}`;
    const response = await postGraphql(
      of.app.baseUrl,
      {
        query: 'mutation ($input: SignUpInput!) { signUp(input: $input) { account { id } } }',
        variables: { input: { ...input, ...fields } },
      },
      { 'x-forwarded-for': from },
    );
    return (await response.json()) as Answer;
  };
  const refusalOf = async (fields: object, address?: string) =>
    (await signUp(fields, address)).errors?.[0]?.message ?? 'signed up';
  const signUpByProvider = async (browser: CookieBrowser, invitation: string | null) => {
    const back = await provider.visit(String(await browser.open('/sign-in/with/local')));
    await browser.open(back.replace(publicUrl, ''));
    const query = 'mutation ($i: String) { finishProviderSignIn(invitation: $i) { account { id email } } }';
    return browser.ask(query, { i: invitation });
  };
  const askForLink =
    /^You need an invitation to create an account here\. Open the link in your invitation, or ask the operator/;
  const worthless = /^This invitation is wrong, already used, withdrawn, or older than seven days\. Ask the operator/;
  const another = /^Your invitation is for another e-mail address\. Sign up with that one, or ask the operator/;

  it('makes an account by an invitation once, with its address alone, and keeps nothing that opens it', async () => {
    const { token, id } = await invite();
    const rows = await Promise.all(
      ['sign_up_invitation', 'operator_event', 'notice'].map((table) => of.app.query(`SELECT * FROM ${table}`)),
    );
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(await refusalOf({ email: emailOf() })).toMatch(askForLink);
    expect(await refusalOf({ email: emailOf(), invitation: `${token}x` })).toMatch(worthless);
    expect(await refusalOf({ email: 'eve@example.com', invitation: token })).toMatch(another);
    const answers = await Promise.all(
      [1, 2, 3].map(() => signUp({ email: emailOf().toUpperCase(), invitation: token })),
    );
    const [accountId, ...others] = answers.flatMap(({ data }) => data?.signUp?.account.id ?? []);
    expect(others).toEqual([]);
    expect(await refusalOf({ email: emailOf(), invitation: token })).toMatch(worthless);
    const events = await of.app.query(
      `SELECT subject_id FROM account_event WHERE account_id = '${accountId}' AND kind = 'signed_up'`,
    );
    expect(events).toEqual([{ subject_id: id }]);
    const logged = await of.app.query(`SELECT action, reason FROM operator_event WHERE subject = '${id}'`);
    expect(logged).toEqual([{ action: 'invite_to_sign_up', reason: `${emailOf()}: A customer` }]);
  });

  it('holds for another provider’s sign-in, too, and lets in who has an account already', async () => {
    const stranger = await signUpByProvider(of.newBrowser(), null);
    expect(stranger.errors?.[0]?.message).toMatch(askForLink);
    const { token } = await invite();
    provider.person = { ...provider.person, email: 'another@example.com' };
    expect((await signUpByProvider(of.newBrowser(), token)).errors?.[0]?.message).toMatch(another);
    provider.person = { ...provider.person, email: emailOf() };
    expect(answerOf<object>(await signUpByProvider(of.newBrowser(), token))).toMatchObject({
      account: { email: emailOf() },
    });
    await setMode('CLOSED');
    expect(reasonOf(await signUpByProvider(of.newBrowser(), null))).toBe('done');
    provider.person = { ...provider.person, sub: 'nobody yet', email: 'nobody@example.com' };
    expect((await signUpByProvider(of.newBrowser(), token)).errors?.[0]?.message).toMatch(/^Nobody can sign up here/);
  });

  it('is mailed an invitation where mail is sent, and no link is shown then', async () => {
    const signUpInvite = { email: emailOf(), isMailed: true, reason: 'A customer' };
    const made = answerOf<{ inviteToSignUp: { link: string | null; invitation: { id: string } } }>(
      await support.change('inviteToSignUp(input: $signUpInvite) { link invitation { id } }', { signUpInvite }),
    ).inviteToSignUp;
    expect(made.link).toBeNull();
    const mails = await of.app.query(
      `SELECT recipient, account_id FROM notice WHERE link_id = '${made.invitation.id}'`,
    );
    expect(mails).toEqual([{ recipient: emailOf(), account_id: null }]);
  });

  it('is asked in the order of the table in docs/operations/console.md: each refusal comes before all below it', async () => {
    await setMode('OPEN');
    await signUp({ email: 'taken@blocked.example' });
    await setMode('INVITED');
    const block = async (field: string, value: string) =>
      expect(
        reasonOf(
          await support.change(`${field}(input: $block) ${field === 'blockSignUps' ? '{ value }' : ''}`, {
            block: { value, reason: 'A test' },
          }),
        ),
      ).toBe('done');
    for (const value of ['everybody', '198.51.100.0/24', 'blocked.example']) await block('blockSignUps', value);
    const crowded = '198.51.100.1';
    for (let count = 0; count < 5; count += 1) await refusalOf({}, crowded);
    const taken = { email: 'taken@blocked.example' };
    expect(await refusalOf({ ...taken, password: 'short' }, crowded)).toMatch(/^A password has/);
    expect(await refusalOf(taken, crowded)).toMatch(/^Too many sign-ups from your network/);
    expect(await refusalOf(taken, '198.51.100.2')).toMatch(/^Nobody can sign up here/);
    await block('unblockSignUps', 'everybody');
    expect(await refusalOf(taken, '198.51.100.3')).toMatch(/^Nobody can sign up from your network/);
    expect(await refusalOf(taken)).toMatch(/^Accounts cannot be created with addresses of blocked\.example/);
    await block('unblockSignUps', 'blocked.example');
    expect(await refusalOf(taken)).toMatch(askForLink);
    expect(await refusalOf({ ...taken, invitation: 'tgs_guess' })).toMatch(worthless);
    await setMode('OPEN');
    // Nothing is asked of an invitation where none is needed.
    expect(await refusalOf({ ...taken, invitation: 'tgs_guess' })).toMatch(
      /^There is an account with this e-mail already/,
    );
  });

  it('takes no invitation that was withdrawn, made anew, or is older than seven days', async () => {
    const withdrawn = await invite();
    const why = { reason: 'A mistake' };
    expect(
      reasonOf(await support.change('withdrawInvitation(id: $id, reason: $reason)', { id: withdrawn.id, ...why })),
    ).toBe('done');
    expect(
      reasonOf(await support.change('withdrawInvitation(id: $id, reason: $reason)', { id: withdrawn.id, ...why })),
    ).toBe('not_found');
    const first = await invite();
    const second = await invite(` ${emailOf().toUpperCase()}`);
    for (const { token } of [withdrawn, first])
      expect(await refusalOf({ email: emailOf(), invitation: token })).toMatch(worthless);
    of.clock.advanceMs(7 * dayMs);
    support = await TestOperator.join(of, 'support');
    expect(await refusalOf({ email: emailOf(), invitation: second.token })).toMatch(worthless);
    const listed = answerOf<{ signUp: { mode: string; invitations: object[] } }>(
      await support.ask('signUp { mode invitations { id } }'),
    );
    expect(listed.signUp).toEqual({ mode: 'INVITED', invitations: [] });
    expect(
      reasonOf(
        await support.change('inviteToSignUp(input: $signUpInvite) { link }', {
          signUpInvite: { email: 'nobody', isMailed: false, ...why },
        }),
      ),
    ).toBe('invalid_value');
  });
});
