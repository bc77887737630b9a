import { PageHeader } from '../../components/page-header';
import { KeysPanel } from '../../features/keys/keys-panel';

/** /keys */
export default function KeysRoute() {
  return (
    <>
      <PageHeader title="Keys" description="What your programs show to the proxy instead of a password." />
      <KeysPanel />
    </>
  );
}
