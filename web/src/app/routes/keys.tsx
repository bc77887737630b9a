import { PageHeader } from '../../components/page-header';
import { KeysPanel } from '../../features/keys/keys-panel';
import { pageHeadings } from '../page-headings';

/** /keys */
export default function KeysRoute() {
  return (
    <>
      <PageHeader {...pageHeadings.keys} />
      <KeysPanel />
    </>
  );
}
