import { Stack } from '@mantine/core';
import { PageHeader } from '../../components/page-header';
import { ModelList } from '../../features/models/model-list';
import { PreferredProvider } from '../../features/models/preferred-provider';
import { PriceCalculator } from '../../features/models/price-calculator';
import { useRole } from '../../lib/session/use-role';
import { pageHeadings } from '../page-headings';

/** /models, for everybody */
export default function ModelsRoute() {
  const isSignedIn = useRole() !== null;
  return (
    <>
      <PageHeader {...pageHeadings.models} />
      <Stack gap="lg">
        <ModelList>
          <PriceCalculator />
          {isSignedIn && <PreferredProvider />}
        </ModelList>
      </Stack>
    </>
  );
}
