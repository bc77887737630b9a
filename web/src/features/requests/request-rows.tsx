import { useMediaQuery } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { SortHead } from '../../components/tables/sort-head';
import { useIsPrinted } from '../../lib/requests/use-is-printed';
import { useSearchChoice } from '../../lib/use-search-choice';
import { type RequestColumn, requestOrders } from './request-columns';
import classes from './requests.module.css';
import type { ListedRequest } from './use-request-pages';

interface RequestRowsProps {
  requests: readonly ListedRequest[];
  columns: readonly RequestColumn[];
  onOpen: (id: string) => void;
  /** Asked whenever the reader nears the end of what is there. */
  onNearEnd: () => void;
}

const rowHeightPx = 47;
const cardHeightPx = 74;
const overscan = 8;
/** So many are printed of those that are there: a sheet has no sight, and a browser draws all of it at once. */
const printedMax = 1_000;
/** How far ahead the next page is asked for; of a short list only the last third, since it may well be all one wants to see. */
const aheadRows = 60;

/** A table of which only the rows in sight exist, so that a hundred thousand requests scroll as lightly as ten. */
export function RequestRows({ requests, columns, onOpen, onNearEnd }: RequestRowsProps) {
  const isPrinted = useIsPrinted();
  const bodyRef = useRef<HTMLDivElement>(null);
  const offsetPx = useOffsetPx(bodyRef);
  const isPhone = useMediaQuery('(max-width: 47.9em)', false, { getInitialValueInEffect: false });
  const heightPx = isPhone ? cardHeightPx : rowHeightPx;
  const virtualizer = useWindowVirtualizer({
    count: isPrinted ? Math.min(requests.length, printedMax) : requests.length,
    estimateSize: () => heightPx,
    overscan: isPrinted ? printedMax : overscan,
    scrollMargin: offsetPx,
    // Else the first rows would come all at once, after the rest of the list was drawn.
    initialRect: { width: window.innerWidth, height: window.innerHeight },
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: all rows are as high as the layout says
  useEffect(() => virtualizer.measure(), [heightPx]);
  // The rows would all be drawn anew for another function.
  const open = useRef(onOpen);
  useEffect(() => {
    open.current = onOpen;
  });
  const [openRow] = useState(() => (id: string) => open.current(id));
  const rows = virtualizer.getVirtualItems();
  const lastShown = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (!isPrinted && lastShown >= requests.length - Math.min(aheadRows, requests.length / 3)) onNearEnd();
  }, [isPrinted, lastShown, requests.length, onNearEnd]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a real table cannot be placed freely
    <div
      role="table"
      aria-label="Requests"
      aria-rowcount={requests.length + 1}
      className={classes.table}
      style={toTracks(columns)}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="rowgroup" className={classes.head}>
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: a row of a table, not of a grid */}
        <div role="row" aria-rowindex={1} className={classes.row}>
          {withModel(columns).map((column) => (
            <Head key={column?.id ?? 'model'} column={column} isSeen={!isPhone} />
          ))}
        </div>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="rowgroup" ref={bodyRef} className={classes.body} style={{ height: virtualizer.getTotalSize() }}>
        {rows.map(({ index, start, key }) => {
          const request = requests[index];
          return (
            request && (
              <Row
                key={key}
                request={request}
                columns={columns}
                index={index}
                topPx={start - offsetPx}
                heightPx={heightPx}
                onOpen={openRow}
              />
            )
          );
        })}
      </div>
      {isPrinted && requests.length > printedMax && <p>Only the first 1,000 are printed.</p>}
    </div>
  );
}

/** @param props.isSeen Where heads are for screen readers alone, nobody should come upon a button that they cannot see. */
function Head({ column, isSeen }: { column: RequestColumn | null; isSeen: boolean }) {
  const [sorted, setSorted] = useSearchChoice('sort', requestOrders);
  const order = column?.sort;
  const isSorted = order === sorted;
  return (
    // biome-ignore lint/a11y/useSemanticElements: heads of a real table cannot be placed freely
    // biome-ignore lint/a11y/useFocusableInteractive: the head of a table, not of a grid
    <span
      role="columnheader"
      className={column?.className}
      data-kept={column?.isKept || column === null || undefined}
      data-align={order === undefined || order === 'newest' ? undefined : 'right'}
      aria-sort={isSorted ? 'descending' : undefined}
    >
      {column && order && isSeen ? (
        <SortHead name={column.header} direction="descending" isSorted={isSorted} onSort={() => setSorted(order)} />
      ) : (
        (column?.header ?? 'Model')
      )}
    </span>
  );
}

/** How far down the page an element begins. What stands above it may grow, such as a filter bar that wraps. */
function useOffsetPx(element: RefObject<HTMLElement | null>): number {
  const [offsetPx, setOffsetPx] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setOffsetPx(Math.round((element.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    measure();
    // Whatever it is, the page as a whole changes with it. Asking at each picture would lay the page out twice.
    const watcher = new ResizeObserver(measure);
    watcher.observe(document.body);
    return () => watcher.disconnect();
  }, [element]);
  return offsetPx;
}

/** The columns with the model in its place, which is null: behind the time, or first. */
function withModel(columns: readonly RequestColumn[]): readonly (RequestColumn | null)[] {
  const at = columns[0]?.id === 'time' ? 1 : 0;
  return [...columns.slice(0, at), null, ...columns.slice(at)];
}

const modelWidth = 'minmax(110px, 1.4fr)';

/** The tracks of the grid, on a wide screen and on a tablet. */
function toTracks(columns: readonly RequestColumn[]): CSSProperties {
  const all = withModel(columns);
  const widths = (shown: readonly (RequestColumn | null)[]) =>
    shown.map((column) => column?.width ?? modelWidth).join(' ');
  const kept = all.filter((column) => column === null || column.isKept);
  return { '--tracks': widths(all), '--kept-tracks': widths(kept) } as CSSProperties;
}

interface RowProps {
  request: ListedRequest;
  columns: readonly RequestColumn[];
  index: number;
  topPx: number;
  heightPx: number;
  onOpen: (id: string) => void;
}

/** Scrolling draws only the rows that come into sight. */
const Row = memo(function Row({ request, columns, index, topPx, heightPx, onOpen }: RowProps) {
  const { id, call, refusal } = request;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button inside does the same by keyboard
    // biome-ignore lint/a11y/useSemanticElements: rows of a real table cannot be placed freely
    // biome-ignore lint/a11y/useFocusableInteractive: a row of a table, not of a grid
    <div
      role="row"
      aria-rowindex={index + 2}
      className={classes.row}
      data-placed
      style={{ height: heightPx, transform: `translateY(${topPx}px)` }}
      onClick={() => onOpen(id)}
    >
      {withModel(columns).map((column) =>
        column === null ? (
          <Cell key="model" className={classes.model} isKept>
            <OpenButton
              model={call?.model ?? refusal?.model ?? 'No model'}
              isRefused={call === null}
              onOpen={() => onOpen(id)}
            />
          </Cell>
        ) : (
          <Cell key={column.id} className={column.className} isKept={column.isKept ?? false}>
            {column.cell(request)}
          </Cell>
        ),
      )}
    </div>
  );
});

interface OpenButtonProps {
  model: string;
  isRefused: boolean;
  onOpen: () => void;
}

function OpenButton({ model, isRefused, onOpen }: OpenButtonProps) {
  return (
    <button
      type="button"
      className={classes.open}
      title={model}
      aria-label={isRefused ? `Refused request to ${model}` : `Receipt of the call to ${model}`}
      onClick={(event) => {
        // The row answers to the same click.
        event.stopPropagation();
        onOpen();
      }}
    >
      {model}
    </button>
  );
}

interface CellProps {
  className: string | undefined;
  isKept: boolean;
  children: ReactNode;
}

function Cell({ className, isKept, children }: CellProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: cells of a real table cannot be placed freely
    <div role="cell" className={className} data-kept={isKept || undefined}>
      {children}
    </div>
  );
}
