import { Stack } from '@mantine/core';
import { PageHeader } from '../../components/page-header';
import { CallList } from '../../features/calls/call-list';
import { RefusalList } from '../../features/calls/refusal-list';

/** /calls */
export default function CallsRoute() {
  return (
    <>
      <PageHeader title="Calls" description="What your programs asked for and what each answer cost." />
      <Stack gap="lg">
        <RefusalList />
        <CallList />
      </Stack>
    </>
  );
}
