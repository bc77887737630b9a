import { PageHeader } from '../../components/page-header';
import { RoleNotice } from '../../components/role-notice';
import { WebhooksPage } from '../../features/webhooks/webhooks-page';
import { useRefusal } from '../../lib/session/use-role';
import { pageHeadings } from '../page-headings';

/** /webhooks */
export default function WebhooksRoute() {
  const refusal = useRefusal('pay', 'To add webhooks');
  return (
    <>
      <PageHeader {...pageHeadings.webhooks} />
      {refusal === null ? <WebhooksPage /> : <RoleNotice>{refusal}</RoleNotice>}
    </>
  );
}
