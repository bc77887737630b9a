import { RelativeTime } from '../../components/relative-time';
import { RecordTable } from '../../components/tables/record-table';
import { formatCredits } from '../../lib/format/format-credits';
import { formatMoment } from '../../lib/format/format-moment';
import { AccountLink } from './account-link';
import classes from './operator.module.css';

interface Change {
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly accountId?: string | null;
  readonly subject?: string | null;
  readonly amount?: number | null;
  readonly reason: string;
}

/** Who did what, when and why. */
export function ChangeList({ changes, isOfAll = false }: { changes: readonly Change[]; isOfAll?: boolean }) {
  return (
    <RecordTable
      label="Operator actions"
      rows={changes}
      keyOf={({ id }) => id}
      columns={[
        { header: 'When', card: 'aside', cell: ({ at }) => <RelativeTime at={at} format={formatMoment} /> },
        {
          header: 'What',
          card: 'title',
          cell: ({ action, amount }) =>
            `${action.replaceAll('_', ' ')}${amount == null ? '' : ` ${formatCredits(amount)} credits`}`,
        },
        { header: 'Why', cell: ({ reason }) => <span className={classes.words}>{reason}</span> },
        { header: 'Who', cell: ({ actor }) => <span className={classes.words}>{actor}</span> },
        ...(isOfAll
          ? [
              {
                header: 'Account',
                cell: ({ accountId }: Change) => (accountId ? <AccountLink id={accountId} /> : null),
              },
            ]
          : []),
      ]}
    />
  );
}
