import { MultiSelect, Select, Stack, Switch, Text, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { NumberField } from '../../components/number-field';
import { SectionCard } from '../../components/section-card';
import { formatCredits, groupThousands } from '../../lib/format/format-credits';
import type { NoteFault } from '../../lib/use-field-faults';
import { AnswerForm } from './answer-form';
import type { PlaygroundSettings } from './playground-settings';

const besideMax = 3;

interface ChatModel {
  readonly id: string;
  readonly tier: string;
  readonly creditsPerThousandTokens: number;
  readonly maxOutputTokens: number;
  readonly isDemo: boolean;
}

interface ChatParametersProps {
  settings: PlaygroundSettings;
  onChange: (settings: PlaygroundSettings) => void;
  /** Told what of the settings cannot be asked with. */
  onFault: NoteFault;
  models: readonly ChatModel[];
  /** The chosen one; null when there is none. */
  model: ChatModel | null;
  /** Stands at the end. */
  children: ReactNode;
}

/** Which model is asked, and how. */
export function ChatParameters({ settings, onChange, onFault, models, model, children }: ChatParametersProps) {
  const set = (change: Partial<PlaygroundSettings>) => onChange({ ...settings, ...change });
  return (
    <SectionCard title="Settings">
      <Stack gap="md">
        <Select
          label="Model"
          data={models.map(({ id }) => id)}
          value={settings.model === '' ? null : settings.model}
          onChange={(id) => id !== null && set({ model: id, beside: settings.beside.filter((one) => one !== id) })}
          searchable
          allowDeselect={false}
          checkIconPosition="right"
          nothingFoundMessage="No model with that name"
          description={
            model && (
              <>
                {model.isDemo ? 'A demo, not a real AI. ' : ''}
                {`${model.tier[0]?.toUpperCase()}${model.tier.slice(1)}`} tier,{' '}
                {formatCredits(model.creditsPerThousandTokens)}{' '}
                {model.creditsPerThousandTokens === 1 ? 'credit' : 'credits'} per 1,000 tokens
              </>
            )
          }
        />
        <CompareSelect settings={settings} models={models} onChange={(beside) => set({ beside })} />
        <Textarea
          name="system-prompt"
          label="System prompt"
          description="Tells the model how to behave."
          placeholder="You answer in one sentence."
          autosize
          minRows={3}
          maxRows={10}
          value={settings.system}
          onChange={(event) => set({ system: event.currentTarget.value })}
        />
        <NumberField
          name="temperature"
          size="sm"
          label="Temperature"
          description="From 0 (the same each time) to 2 (varied). Empty: the model’s default."
          min={0}
          max={2}
          decimals={2}
          value={settings.temperature}
          onChange={(temperature) => set({ temperature })}
          onFault={onFault}
        />
        <NumberField
          name="max-output-tokens"
          size="sm"
          label="Max output tokens"
          description={model ? `Up to ${groupThousands(model.maxOutputTokens)}. Empty: as many as that.` : undefined}
          min={1}
          max={model?.maxOutputTokens ?? 1_000_000}
          value={settings.maxTokens}
          onChange={(maxTokens) => set({ maxTokens })}
          onFault={onFault}
        />
        <AnswerForm settings={settings} onChange={set} />
        <Switch
          label="Stream the answer"
          checked={settings.isStreamed}
          onChange={(event) => set({ isStreamed: event.currentTarget.checked })}
        />
        <Text size="xs" c="dimmed">
          While an answer is written, the most it could cost is reserved from your balance. What is not used is
          returned.
        </Text>
        {children}
      </Stack>
    </SectionCard>
  );
}

interface CompareSelectProps {
  settings: PlaygroundSettings;
  models: readonly ChatModel[];
  onChange: (beside: readonly string[]) => void;
}

function CompareSelect({ settings: { model, beside }, models, onChange }: CompareSelectProps) {
  return (
    <MultiSelect
      label="Compare with"
      description={
        beside.length > 0
          ? `Each message is sent and billed ${beside.length + 1} times.`
          : `Up to ${besideMax} more models answer side by side.`
      }
      placeholder={beside.length < besideMax ? 'Add a model' : undefined}
      data={models.flatMap(({ id }) => (id === model ? [] : [id]))}
      value={[...beside]}
      onChange={onChange}
      maxValues={besideMax}
      searchable
      clearable
      nothingFoundMessage="No model with that name"
    />
  );
}
