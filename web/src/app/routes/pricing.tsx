import { Stack } from '@mantine/core';
import { PageHeader } from '../../components/page-header';
import { PriceCalculator } from '../../features/models/price-calculator';
import { TierPrices } from '../../features/models/tier-prices';

/** /pricing, for everybody */
export default function PricingRoute() {
  return (
    <>
      <PageHeader
        title="Pricing"
        description="Prepaid credits: a dollar is 1,000 credits, and one token costs exactly what its tier says."
      />
      <Stack gap="lg">
        <PriceCalculator />
        <TierPrices />
      </Stack>
    </>
  );
}
