import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import { CopyButton } from './buttons/copy-button';
import classes from './copyable-id.module.css';

interface CopyableIdProps {
  id: string;
  what: string;
  /** Where the id leads; left out: nowhere. */
  to?: string;
}

/** An id in fixed-width type, with a button that copies it. */
export function CopyableId({ id, what, to }: CopyableIdProps) {
  const shown = <code className={classes.id}>{id}</code>;
  return (
    <span className={classes.root}>
      {to === undefined ? (
        shown
      ) : (
        <Anchor component={Link} to={to} inherit className="lone-link">
          {shown}
        </Anchor>
      )}
      <CopyButton value={id} what={what} />
    </span>
  );
}
