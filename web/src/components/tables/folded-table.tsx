import { Button } from '@mantine/core';
import { type ComponentProps, useState } from 'react';
import classes from './folded-table.module.css';
import { RecordTable } from './record-table';

type FoldedTableProps<Row> = ComponentProps<typeof RecordTable<Row>> & {
  /** How many rows are shown until one asks for all. */
  rowsShown: number;
  /** What the rows are: "models". */
  what: string;
};

/** A table whose tail is folded away, so that what stands below a long one is found. */
export function FoldedTable<Row>({ rowsShown, what, rows, ...table }: FoldedTableProps<Row>) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <RecordTable {...table} rows={isOpen ? rows : rows.slice(0, rowsShown)} />
      {rows.length > rowsShown && (
        <div className={classes.more}>
          <Button variant="default" size="xs" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {isOpen ? `Show the first ${rowsShown} ${what}` : `Show all ${rows.length} ${what}`}
          </Button>
        </div>
      )}
    </>
  );
}
