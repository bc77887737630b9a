import { useMediaQuery } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { OutcomeBadge } from '../../components/outcome-badge';
import { RelativeTime } from '../../components/relative-time';
import { formatCreditsAligned, groupThousands } from '../../lib/format-credits';
import { formatDuration } from '../../lib/format-time';
import classes from './calls.module.css';
import type { ListedCall } from './use-call-pages';

interface CallRowsProps {
  calls: readonly ListedCall[];
  onOpen: (callId: string) => void;
  /** Asked whenever the reader nears the end of what is there. */
  onNearEnd: () => void;
}

const rowHeightPx = 47;
const cardHeightPx = 74;
const overscan = 8;
/** How far ahead the next page is asked for; of a short list only the last third, since it may well be all one wants to see. */
const aheadRows = 60;

/** A table of which only the rows in sight exist, so that a hundred thousand calls scroll as lightly as ten. */
export function CallRows({ calls, onOpen, onNearEnd }: CallRowsProps) {
  const bodyRef = useRef<HTMLDivElement>(null);
  const offsetPx = useOffsetPx(bodyRef);
  const isPhone = useMediaQuery('(max-width: 47.9em)', false, { getInitialValueInEffect: false });
  const heightPx = isPhone ? cardHeightPx : rowHeightPx;
  const virtualizer = useWindowVirtualizer({
    count: calls.length,
    estimateSize: () => heightPx,
    overscan,
    scrollMargin: offsetPx,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: all rows are as high as the layout says
  useEffect(() => virtualizer.measure(), [heightPx]);
  // The rows would all be drawn anew for another function.
  const open = useRef(onOpen);
  useEffect(() => {
    open.current = onOpen;
  });
  const [openRow] = useState(() => (callId: string) => open.current(callId));
  const rows = virtualizer.getVirtualItems();
  const lastShown = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (lastShown >= calls.length - Math.min(aheadRows, calls.length / 3)) onNearEnd();
  }, [lastShown, calls.length, onNearEnd]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: rows of a real table cannot be placed freely
    <div role="table" aria-label="Calls" aria-rowcount={calls.length + 1} className={classes.table}>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="rowgroup" className={classes.head}>
        {/* biome-ignore lint/a11y/useSemanticElements: as above */}
        {/* biome-ignore lint/a11y/useFocusableInteractive: a row of a table, not of a grid */}
        <div role="row" aria-rowindex={1} className={classes.row}>
          {['Time', 'Model', 'Provider', 'Tokens in / out', 'Credits', 'Duration', 'Outcome'].map((name) => (
            // biome-ignore lint/a11y/useSemanticElements: as above
            // biome-ignore lint/a11y/useFocusableInteractive: as above
            <span key={name} role="columnheader">
              {name}
            </span>
          ))}
        </div>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: as above */}
      <div role="rowgroup" ref={bodyRef} className={classes.body} style={{ height: virtualizer.getTotalSize() }}>
        {rows.map(({ index, start, key }) => {
          const call = calls[index];
          return (
            call && (
              <Row key={key} call={call} index={index} topPx={start - offsetPx} heightPx={heightPx} onOpen={openRow} />
            )
          );
        })}
      </div>
    </div>
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

interface RowProps {
  call: ListedCall;
  index: number;
  topPx: number;
  heightPx: number;
  onOpen: (callId: string) => void;
}

/** Scrolling draws only the rows that come into sight. */
const Row = memo(function Row({ call, index, topPx, heightPx, onOpen }: RowProps) {
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
      onClick={() => onOpen(call.id)}
    >
      <Cell className={classes.time}>
        <RelativeTime at={call.startedAt} />
      </Cell>
      <Cell className={classes.model}>
        <button
          type="button"
          className={classes.open}
          title={call.model}
          aria-label={`Receipt of the call to ${call.model}`}
          onClick={(event) => {
            // The row answers to the same click.
            event.stopPropagation();
            onOpen(call.id);
          }}
        >
          {call.model}
        </button>
      </Cell>
      <Cell className={classes.provider}>{call.provider}</Cell>
      <Cell className={classes.tokens}>
        {groupThousands(call.promptTokens)} / {groupThousands(call.completionTokens)}
      </Cell>
      <Cell className={classes.credits}>{formatCreditsAligned(call.charged)}</Cell>
      <Cell className={classes.duration}>{formatDuration(call.totalMs)}</Cell>
      <Cell className={classes.outcome}>
        <OutcomeBadge outcome={call.outcome} />
      </Cell>
    </div>
  );
});

function Cell({ className, children }: { className: string | undefined; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: cells of a real table cannot be placed freely
    <div role="cell" className={className}>
      {children}
    </div>
  );
}
