import { Checkbox, Group, MultiSelect, Select, TagsInput, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { NumberField } from '../../components/number-field';
import { DayPicker } from '../../components/reports/day-picker';
import { type KeyScope, noDayYet, periodWords, type SpendPeriod, scopeWords } from '../../lib/key-sentence';
import { addDays, type Day, toDay } from '../../lib/reports/calendar';
import { mayDo } from '../../lib/session/roles';
import { useRole } from '../../lib/session/use-role';
import type { NoteFault } from '../../lib/use-field-faults';
import { usePresentHour } from '../../lib/use-now';
import type { KeyDraft } from './key-draft';
import classes from './keys.module.css';

interface PermissionEditorProps {
  draft: KeyDraft;
  onChange: (change: Partial<KeyDraft>) => void;
  /** Told what of it cannot be saved. */
  onFault: NoteFault;
  /** What may be chosen from. */
  models: readonly string[];
  providers: readonly string[];
}

/** The permissions of a key, a labelled field each; the sentence below the form sums them up. */
export function PermissionEditor({ draft, onChange, onFault, models, providers }: PermissionEditorProps) {
  const isForCalls = draft.scopes.includes('CHAT');
  const isWriteRefused = !mayDo(useRole(), 'manage');
  const today = toDay(usePresentHour());
  return (
    <div className={classes.editor}>
      <Line words="Permissions">
        <Checkbox.Group
          aria-label="What the key may do"
          value={[...draft.scopes]}
          onChange={(scopes) => onChange({ scopes: scopes as KeyScope[] })}
        >
          <Group gap="sm" pt={6}>
            {Object.entries(scopeWords).map(([scope, label]) => (
              <Checkbox key={scope} value={scope} label={label} disabled={isWriteRefused && scope.endsWith('_WRITE')} />
            ))}
          </Group>
        </Checkbox.Group>
        {isWriteRefused && (
          <Text size="sm" c="dimmed" mt={6}>
            Only owners and admins may create a key that manages keys or buys credits.
          </Text>
        )}
      </Line>
      {isForCalls && <ModelLines draft={draft} onChange={onChange} models={models} providers={providers} />}
      {isForCalls && <BudgetLine draft={draft} onChange={onChange} onFault={onFault} />}
      {isForCalls && <PaceLines draft={draft} onChange={onChange} onFault={onFault} />}
      <Line words="IP allow-list">
        <Limit
          label="IP allow-list"
          free="Any address"
          limited="These addresses"
          isLimited={draft.addresses !== null}
          onToggle={(isLimited) => onChange({ addresses: isLimited ? [] : null })}
        >
          <TagsInput
            aria-label="Addresses and networks"
            placeholder="192.0.2.7 or 192.0.2.0/24"
            value={[...(draft.addresses ?? [])]}
            onChange={(addresses) => onChange({ addresses })}
            acceptValueOnBlur
          />
        </Limit>
      </Line>
      <Line words="Expires">
        <Limit
          label="Expires"
          free="Never"
          limited="At the end of a day"
          isLimited={draft.expiresAt !== null}
          onToggle={(isLimited) => onChange({ expiresAt: isLimited ? endOfDay(addDays(today, 90)) : null })}
        >
          <DayPicker
            label="Last day, in UTC"
            day={draft.expiresAt?.slice(0, 10) ?? today}
            minDay={today}
            onChange={(day) => onChange({ expiresAt: day === null ? noDayYet : endOfDay(day) })}
          />
        </Limit>
      </Line>
    </div>
  );
}

function ModelLines({ draft, onChange, models, providers }: Omit<PermissionEditorProps, 'onFault'>) {
  return (
    <>
      <Line words="Models">
        <Limit
          label="Models"
          free="Any model"
          limited="These models"
          isLimited={draft.models !== null}
          onToggle={(isLimited) => onChange({ models: isLimited ? [] : null })}
        >
          <MultiSelect
            aria-label="Allowed models"
            placeholder="Models"
            data={[...new Set([...models, ...(draft.models ?? [])])]}
            value={[...(draft.models ?? [])]}
            onChange={(chosen) => onChange({ models: chosen })}
            searchable
          />
        </Limit>
      </Line>
      <Line words="Providers">
        <Limit
          label="Providers"
          free="Any provider"
          limited="These providers"
          isLimited={draft.providers !== null}
          onToggle={(isLimited) => onChange({ providers: isLimited ? [] : null })}
        >
          <MultiSelect
            aria-label="Allowed providers"
            placeholder="Providers"
            data={[...new Set([...providers, ...(draft.providers ?? [])])]}
            value={[...(draft.providers ?? [])]}
            onChange={(chosen) => onChange({ providers: chosen })}
            searchable
          />
        </Limit>
      </Line>
    </>
  );
}

type NumberLinesProps = Pick<PermissionEditorProps, 'draft' | 'onChange' | 'onFault'>;

function BudgetLine({ draft, onChange, onFault }: NumberLinesProps) {
  return (
    <Line words="Budget">
      <Limit
        label="Budget"
        free="No budget"
        limited="At most"
        isLimited={draft.spendLimit !== null}
        onToggle={(isLimited) =>
          onChange(isLimited ? { spendLimit: 500, spendPeriod: 'MONTH' } : { spendLimit: null, spendPeriod: null })
        }
      >
        <Group gap="xs">
          <NumberField
            name="spend-limit"
            flex="1 1 200px"
            size="sm"
            aria-label="Credits"
            suffix=" credits"
            min={0}
            decimals={3}
            emptyFault="Enter the budget, or choose “No budget”."
            value={draft.spendLimit}
            onChange={(spendLimit) => onChange({ spendLimit })}
            onFault={onFault}
          />
          <Select
            flex="1 0 118px"
            aria-label="Period"
            data={Object.entries(periodWords).map(([value, word]) => ({ value, label: `per ${word}` }))}
            value={draft.spendPeriod ?? 'MONTH'}
            allowDeselect={false}
            onChange={(value) => onChange({ spendPeriod: value as SpendPeriod })}
          />
        </Group>
      </Limit>
    </Line>
  );
}

function PaceLines({ draft, onChange, onFault }: NumberLinesProps) {
  return (
    <>
      <Line words="Rate limit">
        <Limit
          label="Rate limit"
          free="Account limit"
          limited="At most"
          isLimited={draft.requestsPerMinute !== null}
          onToggle={(isLimited) => onChange({ requestsPerMinute: isLimited ? 30 : null })}
        >
          <NumberField
            name="requests-per-minute"
            size="sm"
            aria-label="Requests per minute"
            suffix=" requests per minute"
            min={1}
            emptyFault="Enter the requests per minute, or choose “Account limit”."
            value={draft.requestsPerMinute}
            onChange={(requestsPerMinute) => onChange({ requestsPerMinute })}
            onFault={onFault}
          />
        </Limit>
      </Line>
      <Line words="Token limit">
        <Limit
          label="Token limit"
          free="Account limit"
          limited="At most"
          isLimited={draft.tokensPerMinute !== null}
          onToggle={(isLimited) => onChange({ tokensPerMinute: isLimited ? 20_000 : null })}
        >
          <NumberField
            name="tokens-per-minute"
            size="sm"
            aria-label="Tokens per minute"
            suffix=" tokens per minute"
            min={1}
            emptyFault="Enter the tokens per minute, or choose “Account limit”."
            value={draft.tokensPerMinute}
            onChange={(tokensPerMinute) => onChange({ tokensPerMinute })}
            onFault={onFault}
          />
        </Limit>
      </Line>
    </>
  );
}

function Line({ words, children }: { words: string; children: ReactNode }) {
  return (
    <div className={classes.line}>
      <Text className={classes.lineWords}>{words}</Text>
      <div className={classes.lineChoice}>{children}</div>
    </div>
  );
}

interface LimitProps {
  label: string;
  free: string;
  limited: string;
  isLimited: boolean;
  onToggle: (isLimited: boolean) => void;
  /** How it is limited. */
  children: ReactNode;
}

function Limit({ label, free, limited, isLimited, onToggle, children }: LimitProps) {
  return (
    <>
      <Select
        aria-label={label}
        data={[
          { value: 'free', label: free },
          { value: 'limited', label: limited },
        ]}
        value={isLimited ? 'limited' : 'free'}
        allowDeselect={false}
        onChange={(value) => onToggle(value === 'limited')}
      />
      {isLimited && children}
    </>
  );
}

function endOfDay(day: Day): string {
  return `${day}T23:59:59.000Z`;
}
