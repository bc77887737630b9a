import { Button, Group } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { RelativeTime } from '../../../components/relative-time';
import { SectionCard } from '../../../components/section-card';
import { RecordTable } from '../../../components/tables/record-table';
import { AccountLink } from '../account-link';
import { type Act, ActDialog } from '../act-dialog';
import type { ActWords } from '../act-words';

/** What an operator has asked for and may not do alone. */
interface WaitingRequest {
  readonly id: string;
  readonly accountId: string;
  readonly reason: string;
  readonly askedAt: string;
}

interface WaitingRequestsProps<Request extends WaitingRequest> {
  title: string;
  /** What the rows are, for readers who do not see the table. */
  label: string;
  requests: readonly Request[];
  amount: { readonly header: string; readonly of: (request: Request) => string };
  decision: {
    readonly header: string;
    /** Null: this operator may decide; else what stands in the place of the buttons. */
    readonly instead: (request: Request) => ReactNode;
  };
  /** What the dialogs say, and what is asked of the server. Approving answers what went wrong for ever, or null. */
  approve: {
    readonly words: (request: Request) => string;
    readonly run: (request: Request) => Promise<ActWords | null>;
  };
  refuse: { readonly words: string; readonly run: (id: string, reason: string) => Promise<unknown> };
}

/** Requests that wait, each with two buttons; nothing is shown where none waits. */
export function WaitingRequests<Request extends WaitingRequest>(props: WaitingRequestsProps<Request>) {
  const { title, label, requests, amount, decision, approve, refuse } = props;
  const [act, setAct] = useState<Act | null>(null);
  if (requests.length === 0) return null;
  const toApprove = (request: Request): Act => ({
    label: 'Approve',
    words: approve.words(request),
    run: () => approve.run(request),
  });
  const toRefuse = ({ id }: Request): Act => ({
    label: 'Refuse',
    words: refuse.words,
    run: async ({ reason }) => {
      await refuse.run(id, reason);
      return null;
    },
  });
  return (
    <SectionCard title={title}>
      <RecordTable
        label={label}
        rows={requests}
        keyOf={({ id }) => id}
        columns={[
          {
            header: 'Account',
            card: 'title',
            cell: ({ accountId }) => <AccountLink id={accountId} />,
          },
          { header: amount.header, align: 'right', cell: amount.of },
          { header: 'Reason', cell: ({ reason }) => reason },
          { header: 'Asked', cell: ({ askedAt }) => <RelativeTime at={askedAt} /> },
          {
            header: decision.header,
            cell: (request) =>
              decision.instead(request) ?? (
                <Group gap="xs">
                  <Button size="xs" onClick={() => setAct(toApprove(request))}>
                    Approve
                  </Button>
                  <Button size="xs" variant="default" onClick={() => setAct(toRefuse(request))}>
                    Refuse
                  </Button>
                </Group>
              ),
          },
        ]}
      />
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </SectionCard>
  );
}
