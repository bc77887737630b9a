import type { ReactNode } from 'react';
import { OutcomeBadge } from '../../components/outcome-badge';
import { RelativeTime } from '../../components/relative-time';
import { StatusBadge } from '../../components/status-badge';
import { formatCreditsAligned, groupThousands } from '../../lib/format/format-credits';
import { formatMoment } from '../../lib/format/format-moment';
import { formatDuration } from '../../lib/format/format-time';
import classes from './requests.module.css';
import type { ListedRequest } from './use-request-pages';

/** How the list may be ordered, the usual way first; the largest of it stand first. */
export const requestOrders = ['newest', 'cost', 'duration'] as const;

/** A column of the list that one may choose. */
export interface RequestColumn {
  readonly id: string;
  readonly header: string;
  /** A track of a CSS grid. */
  readonly width: string;
  readonly className?: string | undefined;
  /** Stays on a tablet, where there is no room for all; others do as far as there is. */
  readonly isKept?: boolean;
  /** The order in which the largest of it are first. */
  readonly sort?: (typeof requestOrders)[number];
  readonly cell: (request: ListedRequest) => ReactNode;
}

const nothing = '–';
const shortText = 'minmax(0, 1fr)';

/** Every column but the model, which opens the request, in the order in which they stand. */
export const requestColumns: readonly RequestColumn[] = [
  {
    id: 'time',
    header: 'Time',
    width: '128px',
    className: classes.time,
    isKept: true,
    sort: 'newest',
    cell: ({ at }) => <RelativeTime at={at} format={formatMoment} />,
  },
  {
    id: 'provider',
    header: 'Provider',
    width: shortText,
    className: classes.text,
    cell: ({ call }) => call?.provider ?? nothing,
  },
  {
    id: 'key',
    header: 'Key',
    // Names of keys are longer than those of providers.
    width: 'minmax(0, 1.6fr)',
    className: classes.text,
    cell: ({ call, refusal }) => {
      const name = (call ?? refusal)?.apiKey?.name ?? 'Playground';
      return <span title={name}>{name}</span>;
    },
  },
  {
    id: 'tag',
    header: 'Tag',
    width: shortText,
    className: classes.text,
    cell: ({ call }) => call?.tag ?? nothing,
  },
  {
    id: 'user',
    header: 'End user',
    width: shortText,
    className: classes.text,
    cell: ({ call }) => call?.endUser ?? nothing,
  },
  {
    id: 'error',
    header: 'Error',
    // Codes are longer than names of providers.
    width: 'minmax(0, 1.8fr)',
    className: classes.error,
    cell: ({ call, refusal }) => {
      const code = call?.errorCode ?? refusal?.code ?? nothing;
      return <span title={code}>{code}</span>;
    },
  },
  {
    id: 'tokens',
    header: 'Tokens in / out',
    width: '124px',
    className: classes.tokens,
    isKept: true,
    cell: ({ call }) =>
      call ? `${groupThousands(call.promptTokens)} / ${groupThousands(call.completionTokens)}` : nothing,
  },
  {
    id: 'credits',
    header: 'Credits',
    width: '92px',
    className: classes.credits,
    isKept: true,
    sort: 'cost',
    cell: ({ call }) => (call ? formatCreditsAligned(call.charged) : 'Free'),
  },
  {
    id: 'ttft',
    header: 'TTFT',
    width: '80px',
    className: classes.duration,
    cell: ({ call }) => (typeof call?.firstByteMs === 'number' ? formatDuration(call.firstByteMs) : nothing),
  },
  {
    id: 'duration',
    header: 'Duration',
    width: '84px',
    className: classes.duration,
    sort: 'duration',
    cell: ({ call }) => (call ? formatDuration(call.totalMs) : nothing),
  },
  {
    id: 'status',
    header: 'Status',
    width: '140px',
    className: classes.status,
    isKept: true,
    cell: ({ call, refusal }) =>
      call ? (
        <OutcomeBadge outcome={call.outcome} />
      ) : (
        <StatusBadge color="red">
          Refused{refusal && refusal.times > 1 ? ` ×${groupThousands(refusal.times)}` : ''}
        </StatusBadge>
      ),
  },
];

const usualColumns: readonly string[] = ['time', 'provider', 'key', 'tokens', 'credits', 'duration', 'status'];
/** Of what failed one wants to know why, and most of it has no tokens. */
const usualFaultColumns: readonly string[] = ['time', 'provider', 'key', 'error', 'credits', 'duration', 'status'];
const faultStatuses: readonly (string | null)[] = ['failed', 'interrupted', 'refused'];

/** The columns where nobody has chosen any. */
function usualColumnsOf(search: URLSearchParams): readonly string[] {
  return faultStatuses.includes(search.get('status')) ? usualFaultColumns : usualColumns;
}

/** The columns that an address names, `?columns=time,key`; what it names and does not exist is left out. */
export function readColumns(search: URLSearchParams): readonly RequestColumn[] {
  const named = search.get('columns')?.split(',') ?? [];
  const known = requestColumns.filter(({ id }) => named.includes(id));
  if (known.length > 0) return keepWhatFits(known);
  const usual = usualColumnsOf(search);
  const columns = requestColumns.filter(({ id }) => usual.includes(id));
  return keepWhatFits(columns.map((column) => (column.id === 'error' ? { ...column, isKept: true } : column)));
}

/** Of a table at 768 pixels, beside the model. */
const tabletRoomPx = 570;
const gapPx = 12;
const textMinPx = 96;

/** On a tablet stays what is kept there, and of the others, from the left, what there is room for. */
function keepWhatFits(columns: readonly RequestColumn[]): readonly RequestColumn[] {
  const widthPx = ({ width }: RequestColumn) => gapPx + (width.endsWith('px') ? Number.parseInt(width, 10) : textMinPx);
  let leftPx = tabletRoomPx;
  for (const column of columns) if (column.isKept) leftPx -= widthPx(column);
  return columns.map((column) => {
    if (column.isKept || widthPx(column) > leftPx) return column;
    leftPx -= widthPx(column);
    return { ...column, isKept: true };
  });
}

/** Writes the columns into an address, which leaves the usual ones out. */
export function writeColumns(search: URLSearchParams, ids: readonly string[]): URLSearchParams {
  const next = new URLSearchParams(search);
  const usual = usualColumnsOf(search);
  const isUsual = ids.length === usual.length && usual.every((id) => ids.includes(id));
  if (isUsual || ids.length === 0) next.delete('columns');
  else next.set('columns', ids.join(','));
  return next;
}
