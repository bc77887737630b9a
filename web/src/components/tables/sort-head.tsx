import { UnstyledButton } from '@mantine/core';
import { IconChevronDown } from '../icons';
import classes from './sort-head.module.css';

/** How a column is sorted, in the words of `aria-sort`. */
export type SortDirection = 'ascending' | 'descending';

interface SortHeadProps {
  name: string;
  /** How a press sorts; its column's header says in `aria-sort` whether it is sorted so. */
  direction: SortDirection;
  isSorted: boolean;
  onSort: () => void;
}

/** The head of a column, by which its table is sorted. */
export function SortHead({ name, direction, isSorted, onSort }: SortHeadProps) {
  return (
    <UnstyledButton className={classes.head} data-sorted={isSorted || undefined} onClick={onSort}>
      {name}
      <IconChevronDown size={14} className={classes.arrow} data-direction={direction} />
    </UnstyledButton>
  );
}
