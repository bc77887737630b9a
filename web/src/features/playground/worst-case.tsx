import { Text } from '@mantine/core';
import { useState } from 'react';
import { serverPaths } from '../../app/paths';
import { LoadingButton } from '../../components/buttons/loading-button';
import { formatCredits } from '../../lib/format/format-credits';
import { messagesFor } from '../../lib/playground/answer-groups';
import { ChatError } from '../../lib/playground/ask-model';
import { toChatBody } from '../../lib/playground/chat-body';
import { estimateCost } from '../../lib/playground/estimate-cost';
import type { Turn } from '../../lib/playground/turn';
import { modelsAsked, type PlaygroundSettings } from './playground-settings';

interface WorstCaseProps {
  settings: PlaygroundSettings;
  turns: readonly Turn[];
  /** What would be asked next. */
  draft: string;
  isPossible: boolean;
}

interface Found {
  /** What it was asked for: another question has another price. */
  readonly of: string;
  readonly words: string;
}

/** Says on request what the next question would cost at most. It counts as a request of the minute, so nothing asks by itself. */
export function WorstCase({ settings, turns, draft, isPossible }: WorstCaseProps) {
  const [found, setFound] = useState<Found | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const of = JSON.stringify([settings, turns.length, draft]);

  async function ask() {
    setIsAsking(true);
    const asked: readonly Turn[] = [...turns, { role: 'user', content: draft.trim() }];
    const bodies = modelsAsked(settings).map((model) => toChatBody({ ...settings, model }, messagesFor(model, asked)));
    try {
      const estimates = await Promise.all(bodies.map((body) => estimateCost(serverPaths.playgroundEstimate(), body)));
      const sum = estimates.reduce((total, { creditsMax }) => total + Math.round(creditsMax * 1_000), 0) / 1_000;
      const isEnough = estimates.every(({ isAffordable }) => isAffordable);
      setFound({ of, words: `At most ${formatCredits(sum)} credits${isEnough ? '' : ': more than you have'}.` });
    } catch (error) {
      setFound({ of, words: error instanceof ChatError ? error.message : 'The cost cannot be estimated right now.' });
    }
    setIsAsking(false);
  }

  return (
    <>
      <LoadingButton
        variant="default"
        onClick={() => void ask()}
        loading={isAsking}
        disabled={!isPossible || draft.trim() === ''}
      >
        Estimate cost
      </LoadingButton>
      <Text size="xs" c="dimmed" className="numeric" role="status">
        {found?.of === of ? found.words : ''}
      </Text>
    </>
  );
}
