import { Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { paths } from '../../app/paths';
import { BusyButton } from '../../components/buttons/busy-button';
import { IconCheck } from '../../components/icons';
import { LinkButton } from '../../components/link-button';
import { SectionCard } from '../../components/section-card';
import { useStanding } from '../../lib/session/use-standing';
import { RunHere } from './run-here';
import classes from './setup-checklist.module.css';
import type { FirstKey } from './use-first-key';

export interface SetupSteps {
  hasKey: boolean;
  hasCredits: boolean;
  hasCalled: boolean;
}

interface SetupChecklistProps {
  steps: SetupSteps;
  firstKey: FirstKey;
  /** What a first call asks. */
  model: string;
}

/** The three steps to the first billed call, each with the button that does it; each turns green when the server knows of it. */
export function SetupChecklist({ steps, firstKey, model }: SetupChecklistProps) {
  const [hasRun, setHasRun] = useState(false);
  const standing = useStanding();
  const isFrozen = standing?.isFrozen ?? false;
  const isRefused = isFrozen || (standing?.debt ?? 0) > 0;
  const done = Object.values(steps).filter(Boolean).length;
  return (
    <SectionCard
      title={done === 3 ? 'You are all set' : 'Three steps to your first call'}
      description={
        done === 3
          ? 'Your first call is below, billed to the token.'
          : `${done} of 3 done. Steps are ticked off automatically.`
      }
    >
      <ol className={classes.steps}>
        <Step
          number={1}
          isDone={steps.hasKey}
          title="Create your key"
          action={
            <BusyButton size="xs" variant="light" onClick={() => void firstKey.create()} isBusy={firstKey.isCreating}>
              Create the key
            </BusyButton>
          }
        >
          One click. It appears in the snippets below.
        </Step>
        <Step
          number={2}
          isDone={steps.hasCredits}
          title="Get credits"
          action={
            !isFrozen && (
              <LinkButton size="xs" variant="light" to={paths.credits()} label="Choose an amount of credits">
                Choose an amount
              </LinkButton>
            )
          }
        >
          {isFrozen ? 'No credits are sold while the account is frozen.' : 'A pack or any amount from $5.'}
        </Step>
        <Step number={3} isDone={steps.hasCalled} title="Make your first call">
          {callWords({ isRefused, hasCredits: steps.hasCredits })}
        </Step>
      </ol>
      {steps.hasCredits && !isRefused && (!steps.hasCalled || hasRun) && (
        <RunHere model={model} onRun={() => setHasRun(true)} />
      )}
    </SectionCard>
  );
}

function callWords({ isRefused, hasCredits }: { isRefused: boolean; hasCredits: boolean }): string {
  if (isRefused) return 'Calls are refused for now. See the top of this page.';
  return hasCredits
    ? 'From your program with a snippet below, or right here.'
    : 'Once you have credits, from your program or right here.';
}

interface StepProps {
  number: number;
  isDone: boolean;
  title: string;
  action?: ReactNode;
  children: ReactNode;
}

function Step({ number, isDone, title, action, children }: StepProps) {
  return (
    <li className={classes.step} data-done={isDone}>
      <span className={classes.mark} aria-hidden="true">
        {isDone ? <IconCheck size={16} stroke={3} /> : number}
      </span>
      <div className={classes.words}>
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
      {!isDone && action && <div className={classes.action}>{action}</div>}
    </li>
  );
}
