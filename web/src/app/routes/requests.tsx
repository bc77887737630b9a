import { PageHeader } from '../../components/page-header';
import { RequestList } from '../../features/requests/request-list';

/** /requests */
export default function RequestsRoute() {
  return (
    <>
      <PageHeader
        title="Requests"
        description="What your programs asked for, what each answer cost, and what was refused."
      />
      <RequestList />
    </>
  );
}
