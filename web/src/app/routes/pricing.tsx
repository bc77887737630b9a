import { Stack } from '@mantine/core';
import { PageHeader } from '../../components/page-header';
import { PriceCalculator } from '../../features/models/price-calculator';
import { TierPrices } from '../../features/models/tier-prices';
import { pageHeadings } from '../page-headings';

/** /pricing, for everybody */
export default function PricingRoute() {
  return (
    <>
      <PageHeader {...pageHeadings.pricing} />
      <Stack gap="lg">
        <PriceCalculator />
        <TierPrices />
      </Stack>
    </>
  );
}
