import { Button, Text } from '@mantine/core';
import { graphqlErrorMessage } from '../lib/graphql-error-message';
import classes from './error-panel.module.css';
import { IconPlugConnectedX, IconRefresh } from './icons';

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
      <Button
        variant="default"
        leftSection={<IconRefresh size={16} aria-hidden />}
        // A retry that fails is shown as its own failure.
        onClick={() => void Promise.resolve(onRetry()).catch(() => undefined)}
      >
        Try again
      </Button>
    </div>
  );
}
