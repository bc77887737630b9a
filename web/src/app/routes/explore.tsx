import { PageHeader } from '../../components/page-header';
import { SavedViews } from '../../components/tables/saved-views';
import { ExplorePage } from '../../features/explore/explore-page';
import { useAccountItems } from '../../lib/use-account-items';
import { pageHeadings } from '../page-headings';

/** /explore */
export default function ExploreRoute() {
  const account = useAccountItems('EXPLORE_VIEW');
  return (
    <>
      <PageHeader
        {...pageHeadings.explore}
        actions={<SavedViews page="explore" label="Saved views" account={account} />}
      />
      <ExplorePage />
    </>
  );
}
