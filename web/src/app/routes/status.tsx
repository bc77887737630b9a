import { PageHeader } from '../../components/page-header';
import { StatusPage } from '../../features/status/status-page';

/** /status, for everybody */
export default function StatusRoute() {
  return (
    <>
      <PageHeader title="Status" description="How this server and its providers do, now and in the last 30 days." />
      <StatusPage />
    </>
  );
}
