import { Text } from '@mantine/core';
import { graphqlErrorMessage } from '../lib/graphql-error-message';
import { RetryButton } from './buttons/retry-button';
import classes from './error-panel.module.css';
import { IconPlugConnectedX } from './icons';

interface ErrorPanelProps {
  /** What could not be done, such as "Your calls could not be loaded". */
  title: string;
  error: unknown;
  /** Asks once more for what failed. */
  onRetry: () => unknown;
}

/** A failure in words with its remedy, and a button that tries again. */
export function ErrorPanel({ title, error, onRetry }: ErrorPanelProps) {
  return (
    <div className={classes.root} role="alert">
      <IconPlugConnectedX className={classes.icon} size={22} aria-hidden />
      <div className={classes.words}>
        <Text fw={600}>{title}</Text>
        <Text size="sm">{graphqlErrorMessage(error)}</Text>
      </div>
      <RetryButton variant="default" onRetry={onRetry} />
    </div>
  );
}
