/** @jest-environment jsdom */
import { act } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { openDraft } from '../draft';
import { tellOfSignOut, tellOfSwitch } from './account-switch';
import { useFreshSecrets } from './fresh-secrets';
import { keepInvitation } from './kept-invitation';
import { endSessionOfTab, forgetEndedSession, onSessionEnd } from './session-end';
import { noteOwner, ownerOf } from './session-owner';

let secrets: ReturnType<typeof useFreshSecrets> | undefined;

function Keys() {
  secrets = useFreshSecrets();
  return null;
}

/** As another tab of this browser does, which leaves this one's storage alone. */
function noteAnotherElsewhere() {
  const ofThisTab = { ...sessionStorage };
  noteOwner(ownerOf('acct_2', 'acct_2'));
  for (const [key, value] of Object.entries(ofThisTab)) sessionStorage.setItem(key, value);
}

describe('the end of a session in this tab', () => {
  beforeEach(() => {
    endSessionOfTab();
    localStorage.clear();
  });

  it('forgets every draft, and drops what is written to one afterwards', () => {
    const draft = openDraft('question', '');
    draft.write('private words');
    endSessionOfTab();
    draft.write('private words, answered late');
    draft.write((now) => `${now}, and once more`);
    expect(sessionStorage.length).toBe(0);
    expect(openDraft('question', '').read()).toBe('');
  });

  it('forgets the secrets of new keys, and takes none that the server answers afterwards', () => {
    renderPage(<Keys />);
    act(() => secrets?.rememberSecret('key_1', 'sk-tg-first'));
    const { rememberSecret } = secrets ?? { rememberSecret: () => undefined };
    act(() => endSessionOfTab());
    act(() => rememberSecret('key_2', 'sk-tg-late'));
    expect([secrets?.findSecret('key_1'), secrets?.findSecret('key_2')]).toEqual([null, null]);
    expect(sessionStorage.length).toBe(0);
    act(() => secrets?.rememberSecret('key_3', 'sk-tg-next'));
    expect(JSON.stringify({ ...sessionStorage })).not.toContain('sk-tg-first');
    expect(secrets?.findSecret('key_3')).toBe('sk-tg-next');
  });

  it('is told to whoever has something running, until they listen no more', () => {
    let told = 0;
    const forget = onSessionEnd(() => {
      told += 1;
    });
    endSessionOfTab();
    forget();
    endSessionOfTab();
    expect(told).toBe(1);
  });

  it.each([
    ['a sign-out', tellOfSignOut],
    ['a switch to another account', () => tellOfSwitch('acct_2')],
    ['a sign-in of somebody else', noteAnotherElsewhere],
  ])('is made up for by the next page where this tab did not hear of %s, and an invitation stays', (_, tell) => {
    forgetEndedSession();
    noteOwner(ownerOf('acct_1', 'acct_1'));
    keepInvitation('#tgi_token');
    openDraft('question', '').write('private words');
    forgetEndedSession();
    expect(openDraft('question', '').read()).toBe('private words');
    tell();
    forgetEndedSession();
    expect(openDraft('question', '').read()).toBe('');
    expect(keepInvitation('')).toBe('tgi_token');
  });
});
