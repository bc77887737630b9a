import { PageHeader } from '../../components/page-header';
import { MembersPage } from '../../features/members/members-page';
import { pageHeadings } from '../page-headings';

/** /settings/members */
export default function MembersRoute() {
  return (
    <>
      <PageHeader {...pageHeadings.members} />
      <MembersPage />
    </>
  );
}
