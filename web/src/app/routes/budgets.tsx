import { PageHeader } from '../../components/page-header';
import { BudgetsPage } from '../../features/budgets/budgets-page';
import { pageHeadings } from '../page-headings';

/** /budgets */
export default function BudgetsRoute() {
  return (
    <>
      <PageHeader {...pageHeadings.budgets} />
      <BudgetsPage />
    </>
  );
}
