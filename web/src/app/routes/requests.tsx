import { PageHeader } from '../../components/page-header';
import { RequestList } from '../../features/requests/request-list';
import { pageHeadings } from '../page-headings';

/** /requests */
export default function RequestsRoute() {
  return (
    <>
      <PageHeader {...pageHeadings.requests} />
      <RequestList />
    </>
  );
}
