import { PageHeader } from '../../components/page-header';
import { BudgetsPage } from '../../features/budgets/budgets-page';

/** /budgets */
export default function BudgetsRoute() {
  return (
    <>
      <PageHeader title="Budgets" description="How long the balance and the budgets of your keys last." />
      <BudgetsPage />
    </>
  );
}
