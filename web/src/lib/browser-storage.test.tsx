/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { renderPage } from '../test/render-page';
import { openDraft } from './draft';
import { tellOfSignOut } from './session/account-switch';
import { forgetCustomerView } from './session/customer-view';
import { useFreshSecrets } from './session/fresh-secrets';
import { keepInvitation } from './session/kept-invitation';
import { isKnownVisitor, noteVisitor } from './session/known-visitor';
import { endSessionOfTab, forgetEndedSession } from './session/session-end';
import { isTabOfAnother, noteOwner, takeOwnerOfBrowser } from './session/session-owner';

function Page() {
  const { findSecret, rememberSecret } = useFreshSecrets();
  return (
    <button type="button" onClick={() => rememberSecret('key_1', 'sk-tg-fresh')}>
      {findSecret('key_1') ?? 'No secret'}
    </button>
  );
}

describe.each(['sessionStorage', 'localStorage'] as const)('A browser without %s', (name) => {
  const before = Object.getOwnPropertyDescriptor(window, name);
  beforeAll(() => {
    const get = () => {
      throw new DOMException('The operation is insecure.', 'SecurityError');
    };
    Object.defineProperty(window, name, { configurable: true, get });
  });
  afterAll(() => {
    if (before) Object.defineProperty(window, name, before);
  });

  it('shows pages, which keep for themselves what the browser does not', async () => {
    const { user } = renderPage(<Page />);
    await user.click(screen.getByRole('button', { name: 'No secret' }));
    await screen.findByRole('button', { name: 'sk-tg-fresh' });
    const draft = openDraft('browser-storage', '');
    draft.write('half a sentence');
    expect(draft.read()).toBe('half a sentence');
  });

  it('signs in and out', () => {
    forgetEndedSession();
    noteVisitor(true);
    isKnownVisitor();
    noteOwner('acct_1 acct_1');
    takeOwnerOfBrowser();
    isTabOfAnother('acct_1 acct_1');
    tellOfSignOut();
    endSessionOfTab();
    forgetCustomerView();
    expect(keepInvitation('#tgi_1')).toBe('tgi_1');
  });
});
