import { useMutation } from '@apollo/client/react';
import { Button, Group, Select, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { paths } from '../../app/paths';
import { CopyButton } from '../../components/buttons/copy-button';
import { LoadingButton } from '../../components/buttons/loading-button';
import { FormFault } from '../../components/form-fault';
import { IconPrinter, IconShare } from '../../components/icons';
import { graphql } from '../../gql';
import { formatUtcMinute } from '../../lib/format/format-time';
import { failureSentences, pressAgain } from '../../lib/forms/lost-answers';

const ShareReceiptDocument = graphql(`
  mutation ShareReceipt($callId: ID!, $days: Int!) {
    shareReceipt(callId: $callId, days: $days) {
      token
      expiresAt
    }
  }
`);

const StopSharingReceiptDocument = graphql(`
  mutation StopSharingReceipt($callId: ID!) {
    stopSharingReceipt(callId: $callId)
  }
`);

const whenUnclear = {
  share: { whether: 'whether a link was made', remedy: 'Create another one. “Stop sharing” ends all of them.' },
  stop: { whether: 'whether the links were ended', remedy: pressAgain },
};

const lengths = [
  { value: '1', label: '1 day' },
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
];

/** Prints a receipt, or makes a link to it for others. */
export function ShareReceipt({ callId }: { callId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="not-printed">
      <Group gap="xs" mt="lg">
        <Button variant="default" leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
          Print
        </Button>
        <Button
          variant="default"
          leftSection={<IconShare size={16} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          Share
        </Button>
      </Group>
      {isOpen && <LinkMaker callId={callId} />}
    </div>
  );
}

function LinkMaker({ callId }: { callId: string }) {
  const [days, setDays] = useState('7');
  const [fault, setFault] = useState<string | null>(null);
  const [ended, setEnded] = useState<number | null>(null);
  const [share, { data, loading, reset }] = useMutation(ShareReceiptDocument);
  const [stopSharing, { loading: isStopping }] = useMutation(StopSharingReceiptDocument);
  const link = data?.shareReceipt;

  async function run(of: keyof typeof whenUnclear, change: () => Promise<unknown>) {
    setFault(null);
    setEnded(null);
    try {
      await change();
    } catch (error) {
      setFault(failureSentences(error, whenUnclear[of]));
    }
  }
  async function stop() {
    const answer = await stopSharing({ variables: { callId } });
    reset();
    setEnded(answer.data?.stopSharingReceipt ?? 0);
  }
  return (
    <>
      <Text size="sm" c="dimmed" mt="md">
        Anyone with the link sees the model, tokens, price and times. They do not see your key, tag, end user or
        balance.
      </Text>
      <Group gap="xs" mt="xs" align="flex-end">
        <Select
          label="Expires after"
          data={lengths}
          value={days}
          allowDeselect={false}
          onChange={(value) => setDays(value ?? '7')}
          w={140}
        />
        <LoadingButton
          loading={loading}
          onClick={() => void run('share', () => share({ variables: { callId, days: Number(days) } }))}
        >
          Create link
        </LoadingButton>
        <LoadingButton variant="subtle" color="red" loading={isStopping} onClick={() => void run('stop', stop)}>
          Stop sharing
        </LoadingButton>
      </Group>
      <FormFault fault={fault} />
      {link && (
        <Group gap="xs" mt="md" align="flex-end" wrap="nowrap">
          <TextInput
            label="Link to this receipt"
            description={`Ends ${formatUtcMinute(link.expiresAt)}`}
            value={`${window.location.origin}${paths.sharedReceipt(link.token)}`}
            readOnly
            flex={1}
          />
          <CopyButton value={`${window.location.origin}${paths.sharedReceipt(link.token)}`} what="link" />
        </Group>
      )}
      {ended !== null && (
        <Text size="sm" mt="sm" role="status">
          {ended === 0 ? 'This receipt was not shared.' : 'No link to this receipt works any more.'}
        </Text>
      )}
    </>
  );
}
