import { PageHeader } from '../../components/page-header';
import { UsagePage } from '../../features/usage/usage-page';

/** /usage */
export default function UsageRoute() {
  return (
    <>
      <PageHeader title="Usage" description="Where your credits go: by model, by provider and by key." />
      <UsagePage />
    </>
  );
}
