import { PageHeader } from '../../components/page-header';
import { UsagePage } from '../../features/usage/usage-page';
import { pageHeadings } from '../page-headings';

/** /usage */
export default function UsageRoute() {
  return (
    <>
      <PageHeader {...pageHeadings.usage} />
      <UsagePage />
    </>
  );
}
