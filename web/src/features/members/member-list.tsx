import { useMutation } from '@apollo/client/react';
import { Button, Select } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { RelativeTime } from '../../components/relative-time';
import { FilteredList } from '../../components/tables/filtered-list';
import { type RecordColumn, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { MemberRole } from '../../gql/graphql';
import { formatCredits } from '../../lib/format/format-credits';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { useTellFailure } from '../../lib/forms/lost-answers';
import { mayDo, roleWords } from '../../lib/session/roles';
import { MakeOwner } from './make-owner';
import classes from './member-list.module.css';
import { type Member, nameAndEmail } from './members-document';
import { RemoveMember } from './remove-member';
import { SetBudget } from './set-budget';
import { TransferOwnership } from './transfer-ownership';

const SetMemberRoleDocument = graphql(`
  mutation SetMemberRole($input: SetMemberRoleInput!) {
    setMemberRole(input: $input) {
      personId
    }
  }
`);

interface MemberListProps {
  members: readonly Member[];
  /** Of whoever looks. */
  role: MemberRole;
}

const memberWords = { one: 'member', many: 'members' };

type OpenDialog = { readonly what: 'budget' | 'owner' | 'remove' | 'transfer'; readonly member: Member } | null;

/** Everybody in the account, each with what whoever looks may do about them. */
export function MemberList({ members, role }: MemberListProps) {
  const tellFailure = useTellFailure();
  const [setMemberRole] = useMutation(SetMemberRoleDocument, { refetchQueries: ['Members', 'Session'] });
  const [dialog, setDialog] = useState<OpenDialog>(null);

  async function change(member: Member, next: MemberRole) {
    try {
      await setMemberRole({ variables: { input: { personId: member.personId, role: next } } });
      notifications.show({ title: 'Role changed', message: `${nameAndEmail(member)} is ${roleWords[next]} now.` });
    } catch (error) {
      tellFailure(error, { refused: 'The role was not changed', whether: 'whether the role was changed' });
    }
  }

  // Whom one has made an owner may take the account.
  async function choose(member: Member, next: MemberRole) {
    if (next === 'OWNER') setDialog({ what: 'owner', member });
    else await change(member, next);
  }

  const actions: RecordColumn<Member> = {
    header: 'Actions',
    align: 'right',
    cell: (member) => <Actions member={member} role={role} onOpen={setDialog} />,
  };
  const columns: readonly RecordColumn<Member>[] = [
    {
      header: 'Name',
      card: 'title',
      breaksWords: true,
      cell: ({ name, isYou }) => (isYou ? `${nameInSentence(name)} (you)` : name),
    },
    { header: 'E-mail', breaksWords: true, cell: ({ email }) => email },
    { header: 'Since', cell: ({ since }) => (since ? <RelativeTime at={since} /> : 'Account creation') },
    { header: 'Role', cell: (member) => <Role member={member} role={role} onChange={choose} /> },
    { header: 'Spent this month', cell: (member) => <Spent member={member} /> },
    ...(mayDo(role, 'manage') ? [actions] : []),
  ];
  return (
    <>
      <FilteredList
        rows={members}
        textOf={({ name, email }) => `${name} ${email}`}
        what={memberWords}
        placeholder="Name or e-mail"
      >
        {(found) => <RecordTable label="People" columns={columns} rows={found} keyOf={({ personId }) => personId} />}
      </FilteredList>
      {dialog?.what === 'owner' && <MakeOwner member={dialog.member} onMake={change} onClose={() => setDialog(null)} />}
      {dialog?.what === 'budget' && <SetBudget member={dialog.member} onClose={() => setDialog(null)} />}
      {dialog?.what === 'remove' && <RemoveMember member={dialog.member} onClose={() => setDialog(null)} />}
      {dialog?.what === 'transfer' && <TransferOwnership member={dialog.member} onClose={() => setDialog(null)} />}
    </>
  );
}

interface RoleProps {
  member: Member;
  role: MemberRole;
  onChange: (member: Member, next: MemberRole) => Promise<void>;
}

// Who may change an owner, or make one, is an owner.
function mayChange(role: MemberRole, member: Member): boolean {
  return !member.isYou && mayBound(role, member);
}

function mayBound(role: MemberRole, member: Member): boolean {
  return mayDo(role, 'manage') && (member.role !== 'OWNER' || role === 'OWNER');
}

function Role({ member, role, onChange }: RoleProps) {
  if (!mayChange(role, member)) return roleWords[member.role];
  const offered = (Object.keys(roleWords) as MemberRole[]).filter((one) => one !== 'OWNER' || role === 'OWNER');
  return (
    <Select
      size="sm"
      w={132}
      aria-label={`Role of ${nameAndEmail(member)}`}
      allowDeselect={false}
      data={offered.map((value) => ({ value, label: roleWords[value] }))}
      value={member.role}
      onChange={(value) => {
        const next = offered.find((one) => one === value);
        if (next && next !== member.role) void onChange(member, next);
      }}
    />
  );
}

function Spent({ member: { spentThisMonth, monthlyBudget } }: { member: Member }) {
  const spent = formatCredits(spentThisMonth);
  if (monthlyBudget === null) return `${spent} credits`;
  return `${spent} of ${formatCredits(monthlyBudget)} credits`;
}

interface ActionsProps {
  member: Member;
  role: MemberRole;
  onOpen: (dialog: OpenDialog) => void;
}

function Actions({ member, role, onOpen }: ActionsProps) {
  if (!mayBound(role, member)) return null;
  const isOther = mayChange(role, member);
  return (
    <div className={classes.actions}>
      <Button
        variant="default"
        size="xs"
        onClick={() => onOpen({ what: 'budget', member })}
        aria-label={`Budget of ${nameAndEmail(member)}`}
      >
        Budget
      </Button>
      {isOther && role === 'OWNER' && (
        <Button
          variant="default"
          size="xs"
          onClick={() => onOpen({ what: 'transfer', member })}
          aria-label={`Transfer ownership to ${nameAndEmail(member)}`}
        >
          Transfer ownership
        </Button>
      )}
      {isOther && !member.isFounder && (
        <Button
          variant="default"
          size="xs"
          onClick={() => onOpen({ what: 'remove', member })}
          aria-label={`Remove ${nameAndEmail(member)}`}
        >
          Remove
        </Button>
      )}
    </div>
  );
}
