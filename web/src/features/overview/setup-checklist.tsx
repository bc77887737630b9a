import { Anchor, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { SectionCard } from '../../components/section-card';
import classes from './setup-checklist.module.css';

export interface SetupSteps {
  hasKey: boolean;
  hasCredits: boolean;
  hasCalled: boolean;
}

/** The three steps to the first billed call; each turns green when the server knows of it. */
export function SetupChecklist({ steps }: { steps: SetupSteps }) {
  const done = Object.values(steps).filter(Boolean).length;
  return (
    <SectionCard
      title={done === 3 ? 'You are all set' : 'Three steps to your first call'}
      description={
        done === 3 ? 'The call below was billed to the token.' : `${done} of 3 done. This list checks itself.`
      }
    >
      <ol className={classes.steps}>
        <Step number={1} isDone={steps.hasKey} title="Create your key">
          The quickstart below makes it and puts it into the snippets.
        </Step>
        <Step number={2} isDone={steps.hasCredits} title="Buy credits">
          A pack or any amount from $5, on the{' '}
          <Anchor component={Link} to={paths.credits()} underline="always" inherit>
            credits page
          </Anchor>
          .
        </Step>
        <Step number={3} isDone={steps.hasCalled} title="Make your first call">
          Run a snippet. It appears under recent calls with its price.
        </Step>
      </ol>
    </SectionCard>
  );
}

interface StepProps {
  number: number;
  isDone: boolean;
  title: string;
  children: ReactNode;
}

function Step({ number, isDone, title, children }: StepProps) {
  return (
    <li className={classes.step} data-done={isDone}>
      <span className={classes.mark} aria-hidden="true">
        {isDone ? <IconCheck size={16} stroke={3} /> : number}
      </span>
      <div>
        <Text fw={600}>
          {title}
          {isDone && <span className={classes.done}> done</span>}
        </Text>
        {!isDone && (
          <Text size="sm" c="dimmed">
            {children}
          </Text>
        )}
      </div>
    </li>
  );
}
