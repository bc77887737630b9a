import { Stack } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './kept-answer.module.css';

interface KeptAnswerProps {
  /** Stands in its place until the first answer is there. */
  outline: ReactNode;
  /** What the answer looks like; null while another one is asked for. */
  children: ReactNode;
}

/**
 * What was answered last stays in its place, dimmed, until the answer to another choice is there. It is kept as it was drawn, so that its
 * words and links are those of the choice that it answers.
 */
export function KeptAnswer({ outline, children }: KeptAnswerProps) {
  const last = useRef<ReactNode>(null);
  useEffect(() => {
    if (children !== null) last.current = children;
  });
  const shown = children ?? last.current;
  if (shown === null) return outline;
  return (
    <Stack gap="lg" aria-busy={children === null} className={classes.answer}>
      {shown}
    </Stack>
  );
}
