import { PageHeader } from '../../components/page-header';
import { SavedViews } from '../../components/saved-views';
import { ExplorePage } from '../../features/explore/explore-page';

/** /explore */
export default function ExploreRoute() {
  return (
    <>
      <PageHeader
        title="Explore"
        description="Any figure, by model, key, tag or end user, beside the period before."
        actions={<SavedViews page="explore" label="Saved views" />}
      />
      <ExplorePage />
    </>
  );
}
