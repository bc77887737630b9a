import { NumberInput, Select, Stack, Switch, Text, Textarea } from '@mantine/core';
import { SectionCard } from '../../components/section-card';
import type { ChatSettings } from '../../lib/ask-model';
import { formatCredits, groupThousands } from '../../lib/format-credits';

interface ChatModel {
  readonly id: string;
  readonly tier: string;
  readonly creditsPerThousandTokens: number;
  readonly maxOutputTokens: number;
  readonly isDemo: boolean;
}

interface ChatParametersProps {
  settings: ChatSettings;
  onChange: (settings: ChatSettings) => void;
  models: readonly ChatModel[];
  /** The chosen one; null when there is none. */
  model: ChatModel | null;
}

/** Which model is asked, and how. */
export function ChatParameters({ settings, onChange, models, model }: ChatParametersProps) {
  const set = (change: Partial<ChatSettings>) => onChange({ ...settings, ...change });
  return (
    <SectionCard title="Settings">
      <Stack gap="md">
        <Select
          label="Model"
          data={models.map(({ id }) => id)}
          value={settings.model === '' ? null : settings.model}
          onChange={(id) => id !== null && set({ model: id })}
          searchable
          allowDeselect={false}
          checkIconPosition="right"
          nothingFoundMessage="No model of that name"
          description={
            model && (
              <>
                {model.isDemo ? 'A demo, no real AI. ' : ''}
                {model.tier} tier, {formatCredits(model.creditsPerThousandTokens)} per 1,000 tokens
              </>
            )
          }
        />
        <Textarea
          label="System prompt"
          description="Tells the model how to behave."
          placeholder="You answer in one sentence."
          autosize
          minRows={3}
          maxRows={10}
          value={settings.system}
          onChange={(event) => set({ system: event.currentTarget.value })}
        />
        <NumberInput
          size="sm"
          label="Temperature"
          description="From 0 (the same each time) to 2 (varied). Empty: the model’s default."
          min={0}
          max={2}
          step={0.1}
          decimalScale={2}
          value={settings.temperature ?? ''}
          onChange={(value) => set({ temperature: typeof value === 'number' ? value : null })}
        />
        <NumberInput
          size="sm"
          label="Max output tokens"
          description={model ? `Up to ${groupThousands(model.maxOutputTokens)}. Empty: as many as that.` : undefined}
          min={1}
          max={model?.maxOutputTokens ?? 1_000_000}
          step={64}
          allowDecimal={false}
          thousandSeparator=","
          value={settings.maxTokens ?? ''}
          onChange={(value) => set({ maxTokens: typeof value === 'number' && value > 0 ? value : null })}
        />
        <Switch
          label="Stream the answer"
          checked={settings.isStreamed}
          onChange={(event) => set({ isStreamed: event.currentTarget.checked })}
        />
        <Text size="xs" c="dimmed">
          Until an answer ends, its worst case is reserved of your balance; what is not used comes back.
        </Text>
      </Stack>
    </SectionCard>
  );
}
