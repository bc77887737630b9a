import { PageHeader } from '../../components/page-header';
import { StatusPage } from '../../features/status/status-page';
import { pageHeadings } from '../page-headings';

/** /status, for everybody */
export default function StatusRoute() {
  return (
    <>
      <PageHeader {...pageHeadings.status} />
      <StatusPage />
    </>
  );
}
