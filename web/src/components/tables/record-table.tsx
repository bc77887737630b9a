import { Skeleton, Table } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Fragment, type ReactNode } from 'react';
import classes from './record-table.module.css';

export interface RecordColumn<Row> {
  readonly header: string;
  /** What stands in the header's place where it sorts the table, and how it is sorted; cards have none, and need another way. */
  readonly sort?: { readonly head: ReactNode; readonly is: 'ascending' | 'descending' | undefined };
  /** Null or false leaves the cell empty, and its line off the card; in all rows, the column off the table. */
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'right';
  /** What somebody has typed: a long word breaks, so that it pushes no other column out of view. */
  readonly breaksWords?: boolean;
  /** Where the cell stands when the row is a card; default `detail`, a line with the header before it. A `figure` is beside the title, below its header. */
  readonly card?: 'title' | 'aside' | 'figure' | 'detail' | 'hidden';
}

export interface RecordTableProps<Row> {
  /** What the rows are, for readers who do not see the table. */
  label: string;
  columns: readonly RecordColumn<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Makes the whole row answer to the mouse; the keyboard needs a button or link inside a cell as well. */
  onRowClick?: (row: Row) => void;
  /** On phones each row is two lines without a frame: its title and figure, and below them its details beside each other. */
  isDense?: boolean;
  /** What is shown on phones; default: a list of cards. */
  narrow?: (props: RecordTableProps<Row>) => ReactNode;
}

/** So many columns have room on a tablet. */
const tabletColumnsMax = 5;
/** What a column of figures, which are short, leaves of a column. */
const leftByFigures = 0.25;

/** A table on wide screens, and on tablets one of few columns; on phones a list. */
export function RecordTable<Row>({ narrow: Narrow = RecordCards, ...props }: RecordTableProps<Row>) {
  const figures = props.columns.filter(({ align }) => align === 'right').length;
  const room = props.columns.length - figures * leftByFigures;
  const query = room > tabletColumnsMax ? '(max-width: 48em)' : '(max-width: 40em)';
  const isNarrow = useMediaQuery(query, false, { getInitialValueInEffect: false });
  return isNarrow ? <Narrow {...props} /> : <WideTable {...props} />;
}

function WideTable<Row>({ label, columns: all, rows, keyOf, onRowClick }: RecordTableProps<Row>) {
  // Such as that of actions, for whoever may do none.
  const columns = all.filter(({ cell }) => rows.length === 0 || rows.some((row) => !isNothing(cell(row))));
  return (
    <div className={classes.scroll}>
      <Table aria-label={label} verticalSpacing="sm" horizontalSpacing="sm" highlightOnHover={onRowClick !== undefined}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th
                key={column.header}
                className={classes.header}
                ta={column.align ?? 'left'}
                data-align={column.align}
                aria-sort={column.sort?.is}
              >
                {column.sort?.head ?? column.header}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className="numeric">
          {rows.map((row) => (
            <Table.Tr
              key={keyOf(row)}
              onClick={onRowClick && (() => onRowClick(row))}
              className={onRowClick && classes.clickable}
            >
              {columns.map((column) => (
                <Table.Td
                  key={column.header}
                  ta={column.align ?? 'left'}
                  data-align={column.align}
                  {...(column.breaksWords ? { className: classes.broken } : {})}
                >
                  {column.breaksWords ? breakAddress(column.cell(row)) : column.cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function RecordCards<Row>({ label, columns, rows, keyOf, onRowClick, isDense }: RecordTableProps<Row>) {
  const inPlace = (place: string) => columns.filter((column) => (column.card ?? 'detail') === place);
  return (
    <ul className={classes.cards} aria-label={label} data-dense={isDense}>
      {rows.map((row) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: a button inside the title does the same by keyboard
        <li
          key={keyOf(row)}
          className={classes.card}
          data-clickable={onRowClick !== undefined}
          onClick={onRowClick && (() => onRowClick(row))}
        >
          <div className={classes.cardHead}>
            <div className={classes.cardTitle}>{inPlace('title').map((column) => breakAddress(column.cell(row)))}</div>
            <div className={`numeric ${classes.cardAside}`}>
              {inPlace('figure').map((column) => (
                <Figure key={column.header} name={column.header} value={column.cell(row)} />
              ))}
              {inPlace('aside').map((column) => column.cell(row))}
            </div>
          </div>
          <dl className={classes.details}>
            {inPlace('detail').map((column) => (
              <Detail key={column.header} name={column.header} value={column.cell(row)} />
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}

/** A number alone does not say what it counts. */
function Figure({ name, value }: { name: string; value: ReactNode }) {
  return (
    <>
      <span className={classes.figureName}>{name}</span>
      {value}
    </>
  );
}

/** A line of a card: a value, and what it is. */
export function Detail({ name, value }: { name: string; value: ReactNode }) {
  if (isNothing(value)) return null;
  return (
    <div className={classes.detail}>
      <dt>{name}</dt>
      <dd className="numeric">{breakAddress(value)}</dd>
    </div>
  );
}

/** An address breaks well behind its @ and its dots; without these places, it breaks amid a word. What is no address stays as it is. */
export function breakAddress(value: ReactNode): ReactNode {
  if (typeof value !== 'string' || !value.includes('@')) return value;
  return value.split(/(?<=[@.])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}

export function isNothing(value: ReactNode): boolean {
  return value === null || value === false;
}

/** Grey bars where rows will be; none for what may turn out to be nothing. What stands below it on a page of the console is shown with it. */
export function RecordSkeleton({ rows = 4 }: { rows?: number }) {
  return (
    <div className={classes.skeleton} aria-hidden="true" data-loading>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike
        <Skeleton key={index} height={34} radius="sm" />
      ))}
    </div>
  );
}
