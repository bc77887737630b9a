import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
const sourceOf = (name: string) => readFileSync(join(root, name), 'utf8');
const changing = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
  .filter((name) => sourceOf(name).includes('useMutation('));

/** What says of a change that failed what is known of it; an operator's act is handed to a dialog that does. */
const telling =
  /\b(?:failureSentences|failureWords|useTellFailure|useLeaveSession)\(|<(?:MailedLink|EmailLink|NewPasswordForm|WaitingRequests)\b|\bAct(?:Dialog)?\b/;

const silent: Readonly<Record<string, readonly string[]>> = {
  'it asks, proves, tries or opens, and may be asked again': [
    ...['purchases/purchase-return.tsx', 'purchases/saved-card-line.tsx', 'session/fresh-proof-dialog.tsx'],
    ...['session/passkey-sign-in.tsx', 'session/sign-in-form.tsx'],
    ...['session/forgot-password-form.tsx', 'session/use-provider-return.ts', 'operator/setup-page.tsx'],
    ...['operator/people/operator-sign-in.tsx', 'operator/people/operator-passkey-sign-in.tsx'],
    ...['operator/people/operator-passkey-proof.tsx', 'operator/catalogue/provider-test-button.tsx'],
  ],
  'it shows who is signed in, whatever became of the sign-out': ['operator/operator-console.tsx'],
};

/** Files that tell of their changes, and ask for something beside, of which they say that it may be asked again. */
const alsoAsking = [
  ...['settings/linked-identities.tsx', 'settings/new-authenticator-app.tsx', 'session/second-step-form.tsx'],
  ...['operator/people/operator-join.tsx', 'operator/catalogue/price-form.tsx', '../lib/use-account-items.ts'],
  'members/invitation-answer.tsx',
];

const inFeatures = (names: readonly string[]) => names.map((name) => join('features', name)).toSorted();

/** What a screen reader is told of. */
const announcing = /\bnotifications\.show\(|role="status"/;

const unannounced: Readonly<Record<string, readonly string[]>> = {
  'the page is left for another one': ['settings/delete-account.tsx'],
};

describe('Every removal that a page makes', () => {
  it('is announced, or is listed with a reason', () => {
    const removing = changing.filter((name) =>
      /\bmutation (?:Cancel|Delete|End|Remove|Revoke|Stop|Unlink)\w*/.test(sourceOf(name)),
    );
    expect(removing.length).toBeGreaterThan(10);
    const silentOnes = removing.filter((name) => !announcing.test(sourceOf(name)));
    expect(silentOnes.toSorted()).toEqual(inFeatures(Object.values(unannounced).flat()));
  });
});

describe('Every change that a page makes', () => {
  it('says after a lost answer that it is not known what became of it, or is listed with a reason', () => {
    const untold = changing.filter((name) => !telling.test(sourceOf(name)));
    expect(untold.toSorted()).toEqual(inFeatures(Object.values(silent).flat()));
  });

  it('says so in the words of lost-answers alone, which never claim that nothing happened', () => {
    const claiming = changing.filter(
      (name) => telling.test(sourceOf(name)) && /\bgraphqlError(?:Message|Sentence)\(/.test(sourceOf(name)),
    );
    expect(claiming.toSorted()).toEqual(inFeatures(alsoAsking));
  });
});
