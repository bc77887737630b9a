import { PageHeader } from '../../components/page-header';
import { SavedViews } from '../../components/tables/saved-views';
import { ExplorePage } from '../../features/explore/explore-page';
import { useAccountItems } from '../../lib/use-account-items';

/** /explore */
export default function ExploreRoute() {
  const account = useAccountItems('EXPLORE_VIEW');
  return (
    <>
      <PageHeader
        title="Explore"
        description="Any figure, by model, key, tag or end user, beside the period before."
        actions={<SavedViews page="explore" label="Saved views" account={account} />}
      />
      <ExplorePage />
    </>
  );
}
