import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel';
import { SectionCard } from '../../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import type { OperatorGiftCodesQuery } from '../../../gql/graphql';
import { formatCreditsAligned } from '../../../lib/format/format-credits';
import { formatAbsoluteTime } from '../../../lib/format/format-time';
import { AccountLink } from '../account-link';
import { type Act, ActDialog, type ActField } from '../act-dialog';
import { showOnce } from '../act-words';
import type { May } from '../operator-console';
import { readAgain } from '../read-again';

const OperatorGiftCodesDocument = graphql(`
  query OperatorGiftCodes {
    operator {
      giftCodes(first: 50) {
        id
        hint
        credits
        state
        createdAt
        expiresAt
        claimedBy
      }
    }
  }
`);

const CreateGiftCodesDocument = graphql(`
  mutation OperatorCreateGiftCodes($input: OperatorGiftCodesInput!) {
    operator {
      createGiftCodes(input: $input) {
        code
      }
    }
  }
`);

const RevokeGiftCodeDocument = graphql(`
  mutation OperatorRevokeGiftCode($id: ID!, $reason: String!) {
    operator {
      revokeGiftCode(id: $id, reason: $reason)
    }
  }
`);

type GiftCode = OperatorGiftCodesQuery['operator']['giftCodes'][number];

const fields: readonly ActField[] = [
  {
    name: 'count',
    label: 'Codes',
    description: 'How many, each with as many credits: 1 to 1,000.',
    isNumber: true,
    initial: '1',
  },
  {
    name: 'expiresAt',
    label: 'Until',
    description: 'In your own time zone. Empty: they do not expire.',
    isTime: true,
    isOptional: true,
  },
];

/** Codes of credits that are given away, the newest first. */
export function GiftCodes({ may }: { may: May }) {
  const { data, error, refetch } = useQuery(OperatorGiftCodesDocument);
  const [create] = useMutation(CreateGiftCodesDocument);
  const [revoke] = useMutation(RevokeGiftCodeDocument);
  const [act, setAct] = useState<Act | null>(null);
  const toCreate: Act = {
    label: 'Create gift codes',
    words: 'The first person to redeem a code gets its credits. The codes are shown once, only to you.',
    hasCredits: true,
    fields,
    madeOnce: 'gift codes',
    run: async ({ credits, reason, once, values: { count = '', expiresAt = '' } }) => {
      const until = expiresAt === '' ? {} : { expiresAt: new Date(expiresAt).toISOString() };
      const made = await create({ variables: { input: { credits, count: Number(count), reason, once, ...until } } });
      await readAgain(refetch);
      return showOnce((made.data?.operator.createGiftCodes ?? []).map(({ code }) => code).join('\n'));
    },
  };
  const toRevoke = ({ id, hint }: GiftCode): Act => ({
    label: 'Revoke',
    words: `The code ending in ${hint} can no longer be redeemed.`,
    isDangerous: true,
    run: async ({ reason }) => {
      await revoke({ variables: { id, reason } });
      return readAgain(refetch);
    },
  });
  const codes = data?.operator.giftCodes ?? [];
  return (
    <SectionCard title="Gift codes" description="Credits for the first person to redeem a code.">
      <Stack gap="md">
        {error && !data && <ErrorPanel title="The gift codes could not be loaded" error={error} onRetry={refetch} />}
        {!data && !error && <RecordSkeleton rows={2} />}
        {data && codes.length === 0 && <Text size="sm">None yet.</Text>}
        {codes.length > 0 && (
          <GiftCodeTable codes={codes} onRevoke={may('revokeGiftCode') ? (code) => setAct(toRevoke(code)) : null} />
        )}
        {codes.length === 50 && <Text size="sm">These are the newest 50.</Text>}
        {may('createGiftCodes') && (
          <Group>
            <Button size="xs" variant="default" onClick={() => setAct(toCreate)}>
              Create gift codes
            </Button>
          </Group>
        )}
      </Stack>
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </SectionCard>
  );
}

interface GiftCodeTableProps {
  codes: readonly GiftCode[];
  onRevoke: ((code: GiftCode) => void) | null;
}

function GiftCodeTable({ codes, onRevoke }: GiftCodeTableProps) {
  return (
    <RecordTable
      label="Gift codes"
      rows={codes}
      keyOf={({ id }) => id}
      columns={[
        { header: 'Ends in', card: 'title', cell: ({ hint }) => `…${hint}` },
        { header: 'Credits', align: 'right', card: 'figure', cell: ({ credits }) => formatCreditsAligned(credits) },
        { header: 'State', cell: (code) => <State code={code} /> },
        { header: 'Made', cell: ({ createdAt }) => formatAbsoluteTime(createdAt) },
        { header: 'Until', cell: ({ expiresAt }) => (expiresAt ? formatAbsoluteTime(expiresAt) : 'no end') },
        {
          header: 'Actions',
          cell: (code) =>
            onRevoke &&
            code.state === 'OPEN' && (
              <Button size="xs" variant="default" aria-label={`Revoke …${code.hint}`} onClick={() => onRevoke(code)}>
                Revoke
              </Button>
            ),
        },
      ]}
    />
  );
}

function State({ code: { state, claimedBy } }: { code: GiftCode }) {
  if (claimedBy == null) return state.toLowerCase();
  return (
    <>
      redeemed by <AccountLink id={claimedBy} />
    </>
  );
}
