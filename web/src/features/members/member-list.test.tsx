/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import { renderPage } from '../../test/render-page';
import { MemberList } from './member-list';
import type { Member } from './members-document';

const member = (email: string, more: Partial<Member> = {}): Member => ({
  ...{ __typename: 'Member', personId: email, name: 'Ada', email, role: 'DEVELOPER', since: null, isYou: false },
  ...{ isFounder: false, monthlyBudget: null, spentThisMonth: 0, budgetResetsAt: '2026-12-01T00:00:00Z' },
  ...more,
});
const members = [
  member('owner@example.com', { role: 'OWNER', isYou: true, isFounder: true }),
  member('ada@example.com'),
  member('eve@example.com'),
];

const seenBy = 'VIEWER';
const seenByOwner = { members, role: 'OWNER' } as const;

function show() {
  const setRole = () => ({ data: { setMemberRole: [{ __typename: 'Member', personId: 'eve@example.com' }] } });
  return renderPage(<MemberList {...seenByOwner} />, { SetMemberRole: setRole });
}

const eve = 'Ada (eve@example.com)';

const membersOf = (count: number) =>
  Array.from({ length: count }, (_, at) => member(`${at}.ada@example.com`, { name: `Ada ${at}`, role: 'VIEWER' }));

describe('MemberList', () => {
  it('names each member by name and e-mail wherever one is chosen: two may call themselves alike', async () => {
    const { user } = show();
    for (const [button, title] of [
      [`Budget of ${eve}`, `Monthly budget of ${eve}`],
      [`Transfer ownership to ${eve}`, `Transfer ownership to ${eve}?`],
      [`Remove ${eve}`, `Remove ${eve}?`],
    ] as const) {
      await user.click(screen.getByRole('button', { name: button }));
      await screen.findByRole('dialog', { name: title });
      await user.click(screen.getByRole('button', { name: 'Cancel' }));
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    }
  });

  it('says before a member is removed what of theirs stays: webhooks, whose secrets they may know, and shared receipts', async () => {
    const { user } = show();
    await user.click(screen.getByRole('button', { name: `Remove ${eve}` }));
    await screen.findByRole('dialog', { name: `Remove ${eve}?` });
    screen.getByText(
      /^Webhooks and shared receipts belong to the account and stay.+ Give a new secret to each webhook/,
    );
  });

  it('says what is wrong with a budget once, at its field, and sends nothing', async () => {
    const { user, asked } = show();
    await user.click(screen.getByRole('button', { name: `Budget of ${eve}` }));
    await user.type(await screen.findByRole('textbox', { name: 'Monthly budget' }), '-5');
    await user.click(screen.getByRole('button', { name: 'Save' }));
    expect(screen.getAllByText('Enter 0 or more.')).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  it('has no column of actions for whoever may do none', () => {
    renderPage(<MemberList members={members} role={seenBy} />);
    const heads = screen.getAllByRole('columnheader').map(({ textContent }) => textContent);
    expect(heads).toEqual(['Name', 'E-mail', 'Since', 'Role', 'Spent this month']);
  });

  it('makes nobody an owner before it has asked, and tells by name and e-mail whom it made one', async () => {
    const { user, asked } = show();
    const choose = async () => {
      await user.click(screen.getByRole('combobox', { name: `Role of ${eve}` }));
      await user.click(await screen.findByRole('option', { name: 'owner' }));
      await screen.findByRole('dialog', { name: `Make ${eve} an owner?` });
    };
    await choose();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(asked).toEqual([]);
    await choose();
    await user.click(screen.getByRole('button', { name: 'Make an owner' }));
    await screen.findByText(`${eve} is owner now.`);
    expect(asked[0]?.variables).toEqual({ input: { personId: 'eve@example.com', role: 'OWNER' } });
  });

  it('finds one of ten members by name or e-mail, and says how many fit', async () => {
    const { user } = renderPage(<MemberList members={membersOf(10)} role={seenBy} />);
    const status = screen.getByRole('status');
    expect(status.textContent).toBe('10 members');
    await user.type(screen.getByRole('searchbox', { name: 'Find a member' }), 'ADA 7');
    expect(status.textContent).toBe('1 of 10 members');
    screen.getByText('7.ada@example.com');
    expect(screen.queryByText('Ada 1')).toBeNull();
    await user.clear(screen.getByRole('searchbox'));
    await user.keyboard('3.ada@');
    screen.getByText('Ada 3');
    expect(screen.queryByText('Ada 7')).toBeNull();
  });

  it('hides nobody once fewer than ten are left, whatever was looked for', () => {
    renderPage(<MemberList members={membersOf(9)} role={seenBy} />);
    expect(screen.queryByRole('searchbox')).toBeNull();
    screen.getByText('Ada 8');
  });
});
