import { PageHeader } from '../../components/page-header';
import { DocsPage } from '../../features/docs/docs-page';

/** /quickstart, for everybody */
export default function DocsRoute() {
  return (
    <>
      <PageHeader title="Docs" description="From your program to a billed answer in a minute." />
      <DocsPage />
    </>
  );
}
