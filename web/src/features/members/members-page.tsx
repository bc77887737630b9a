import { useQuery } from '@apollo/client/react';
import { Stack } from '@mantine/core';
import { ErrorPanel } from '../../components/error-panel';
import { RoleNotice } from '../../components/role-notice';
import { SectionCard } from '../../components/section-card';
import { RecordSkeleton } from '../../components/tables/record-table';
import { mayDo, whyNot } from '../../lib/session/roles';
import { InvitationList } from './invitation-list';
import { InviteForm } from './invite-form';
import { LeaveAccount } from './leave-account';
import { MemberList } from './member-list';
import { MembersDocument } from './members-document';

/** The people of the account: who they are, who is invited, and what one may do about it. */
export function MembersPage() {
  const { data, error, refetch } = useQuery(MembersDocument);
  if (!data?.viewer) {
    if (error) return <ErrorPanel title="The members could not be loaded" error={error} onRetry={refetch} />;
    return (
      <SectionCard title="People">
        <RecordSkeleton rows={2} />
      </SectionCard>
    );
  }
  const role = data.viewer.role ?? 'VIEWER';
  const isManager = mayDo(role, 'manage');
  const you = data.members.find(({ isYou }) => isYou);
  return (
    <Stack gap="lg">
      <SectionCard title="People" description="Everyone with access to this account. Keys belong to the account.">
        <Stack gap="md">
          {!isManager && <RoleNotice>{whyNot(role, 'manage', 'To invite or change members')}</RoleNotice>}
          <MemberList members={data.members} role={role} />
        </Stack>
      </SectionCard>
      {isManager && (
        <InviteForm
          isMailSent={data.viewer.isMailSent}
          unverified={data.person?.emailVerifiedAt === null ? data.person.email : null}
        />
      )}
      {isManager && <InvitationList isMailSent={data.viewer.isMailSent} />}
      {you && !you.isFounder && <LeaveAccount />}
    </Stack>
  );
}
