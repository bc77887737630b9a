import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './operator.module.css';

interface Asked<Data> {
  readonly data: Data | undefined;
  readonly previousData?: Data | undefined;
  readonly error?: unknown;
}

/** The answer, or the one before while another time or division is asked for; undefined where neither is there, or it failed. */
export function lastAnswer<Data>({ data, previousData, error }: Asked<Data>): Data | undefined {
  return data ?? (error ? undefined : previousData);
}

interface KeptAnswerProps {
  /** Whether what is shown answers an earlier choice. */
  isOld: boolean;
  gap?: string;
  children: ReactNode;
}

/** What was answered last stays in its place, dimmed, until the next answer is there. */
export function KeptAnswer({ isOld, gap = 'sm', children }: KeptAnswerProps) {
  return (
    <Stack gap={gap} aria-busy={isOld} className={classes.answer}>
      {children}
    </Stack>
  );
}
