import { CopyButton } from './buttons/copy-button';
import classes from './copyable-id.module.css';

/** An id in fixed-width type, with a button that copies it. */
export function CopyableId({ id, what }: { id: string; what: string }) {
  return (
    <span className={classes.root}>
      <code className={classes.id}>{id}</code>
      <CopyButton value={id} what={what} />
    </span>
  );
}
