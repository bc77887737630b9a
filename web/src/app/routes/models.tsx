import { Stack } from '@mantine/core';
import { PageHeader } from '../../components/page-header';
import { ModelList } from '../../features/models/model-list';
import { PreferredProvider } from '../../features/models/preferred-provider';
import { PriceCalculator } from '../../features/models/price-calculator';
import { useRole } from '../../lib/session/use-role';

/** /models, for everybody */
export default function ModelsRoute() {
  const isSignedIn = useRole() !== null;
  return (
    <>
      <PageHeader title="Models" description="Every model that this server offers, what it can do and what it costs." />
      <Stack gap="lg">
        <ModelList />
        <PriceCalculator />
        {isSignedIn && <PreferredProvider />}
      </Stack>
    </>
  );
}
