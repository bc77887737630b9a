import { Stack } from '@mantine/core';
import { PageHeader } from '../../components/page-header';
import { ModelList } from '../../features/models/model-list';
import { PreferredProvider } from '../../features/models/preferred-provider';
import { PriceCalculator } from '../../features/models/price-calculator';

/** /models */
export default function ModelsRoute() {
  return (
    <>
      <PageHeader title="Models" description="Every model that this server offers, what it can do and what it costs." />
      <Stack gap="lg">
        <ModelList />
        <PriceCalculator />
        <PreferredProvider />
      </Stack>
    </>
  );
}
