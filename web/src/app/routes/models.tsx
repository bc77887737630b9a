import { PageHeader } from '../../components/page-header';
import { ModelList } from '../../features/models/model-list';

/** /models */
export default function ModelsRoute() {
  return (
    <>
      <PageHeader title="Models" description="Every model that this server offers, with its price and its limits." />
      <ModelList />
    </>
  );
}
