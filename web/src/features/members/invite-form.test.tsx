/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { MembersPage } from './members-page';

const you = {
  ...{ __typename: 'Member', personId: 'per_1', name: 'Ada', email: 'ada@example.com', role: 'OWNER', since: null },
  ...{ isYou: true, isFounder: true, monthlyBudget: null, spentThisMonth: 0, budgetResetsAt: null },
};

const madeInvitation = { data: { inviteMember: { __typename: 'Invitation', id: 'invt_1' } } };

interface Server {
  readonly isMailSent: boolean;
  readonly emailVerifiedAt?: string | null;
  readonly invited?: object;
}

function open({ isMailSent, emailVerifiedAt = '2026-11-01T00:00:00.000Z', invited = madeInvitation }: Server) {
  const members = {
    viewer: { __typename: 'Account', id: 'acct_1', role: 'OWNER', isMailSent },
    person: { __typename: 'Person', id: 'per_1', email: you.email, emailVerifiedAt },
    members: [you],
  };
  const answers: Parameters<typeof renderPage>[1] = Object.fromEntries([
    ['Members', () => ({ data: members })],
    ['Invitations', () => ({ data: { invitations: [] } })],
    ['InviteMember', () => invited],
  ]);
  return renderPage(<MembersPage />, answers);
}

describe('InviteForm', () => {
  it('claims no mail on a server that sends none, and has the command that makes the link', async () => {
    const { user } = open({ isMailSent: false });
    await user.type(await screen.findByRole('textbox', { name: 'E-mail' }), 'bob@example.com');
    expect(screen.queryByText(/mailed/)).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Invite' }));
    await screen.findByText('npm run tollgate -- invitation-link bob@example.com');
    expect(screen.queryByText('Invitation sent')).toBeNull();
  });

  it('tells whoever has to be verified first how a server without mail does that', async () => {
    open({ isMailSent: false, emailVerifiedAt: null });
    await screen.findByText('npm run tollgate -- verification-link ada@example.com');
  });

  it('says once that whoever invites has to be verified first, with the remedy, also when the server refused', async () => {
    const message = 'Verify your own e-mail address first. Your settings say how.';
    const invited = { errors: [{ message, extensions: { code: 'FORBIDDEN' } }] };
    const { user } = open({ isMailSent: false, emailVerifiedAt: null, invited });
    await user.type(await screen.findByRole('textbox', { name: 'E-mail' }), 'bob@example.com');
    await user.click(screen.getByRole('button', { name: 'Invite' }));
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain(message);
    expect(alert.textContent).toContain('npm run tollgate -- verification-link ada@example.com');
    expect(screen.queryByText('Verify your own address first')).toBeNull();
  });

  it('has labels of one size', async () => {
    open({ isMailSent: true });
    const labels = await Promise.all(
      ['E-mail', 'Role'].map((words) => screen.findByText(words, { selector: 'label' })),
    );
    expect(labels.map(({ dataset }) => dataset.size)).toEqual(['md', 'md']);
  });

  it('says that it was sent where mail is sent', async () => {
    const { user } = open({ isMailSent: true });
    await user.type(await screen.findByRole('textbox', { name: 'E-mail' }), 'bob@example.com');
    await user.click(screen.getByRole('button', { name: 'Send invitation' }));
    await screen.findByText('Invitation sent');
  });
});
