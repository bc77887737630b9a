import { PageHeader } from '../../components/page-header';
import { DocsPage } from '../../features/docs/docs-page';
import { pageHeadings } from '../page-headings';

/** /quickstart, for everybody */
export default function DocsRoute() {
  return (
    <>
      <PageHeader {...pageHeadings.docs} />
      <DocsPage />
    </>
  );
}
