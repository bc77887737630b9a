import { PageHeader } from '../../components/page-header';
import { MembersPage } from '../../features/members/members-page';

/** /settings/members */
export default function MembersRoute() {
  return (
    <>
      <PageHeader title="Members" description="Who may see this account, and act for it." />
      <MembersPage />
    </>
  );
}
