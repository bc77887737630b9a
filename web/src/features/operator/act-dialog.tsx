import { useMutation } from '@apollo/client/react';
import { Alert, Button, Checkbox, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type ChangeEvent, type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { CopyButton } from '../../components/buttons/copy-button';
import { FormFault } from '../../components/form-fault';
import { KeptNote } from '../../components/forms/kept-note';
import { NumberField } from '../../components/number-field';
import { ShownOnce, ShownOnceModal, useHeldDialog } from '../../components/shown-once-modal';
import { graphql } from '../../gql';
import { graphqlErrorReason } from '../../lib/graphql-error-message';
import { PasskeyUnusedError } from '../../lib/session/passkeys';
import { type NoteFault, useFieldFaults } from '../../lib/use-field-faults';
import { CodeInput, DollarInput, ReasonInput } from './act-inputs';
import type { ActWords } from './act-words';
import { OperatorPasskeyProof } from './people/operator-passkey-proof';
import { useAnswered } from './use-answered';
import { type Typed, useTypedAct } from './use-typed-act';

const ProveDocument = graphql(`
  mutation OperatorProve($code: String!) {
    operator {
      prove(code: $code)
    }
  }
`);

/** What an act is given: why, and where credits move, how many. */
export interface ActInput {
  readonly reason: string;
  readonly credits: number;
  /** Dollars in cents; null: all that is left. */
  readonly cents: number | null;
  /** The same as long as the dialog is open, and after a lost answer beyond that, so that a second press moves nothing twice. */
  readonly once: string;
  /** What was filled in for each of the act's own fields, by its name. */
  readonly values: Readonly<Record<string, string>>;
}

/** One more thing that an act asks for. */
export interface ActField {
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly isSecret?: boolean;
  /** A whole number; the browser takes nothing else, so none is read as no number at all. */
  readonly isNumber?: boolean;
  /** A moment in the operator's own time zone, as `2026-12-31T22:00`. */
  readonly isTime?: boolean;
  /** A box: its value is `yes` while it is ticked, and empty while it is not. */
  readonly isTick?: boolean;
  /** One of these is chosen; `initial` is the first of them that stands there. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly isOptional?: boolean;
  readonly initial?: string;
  /** What is wrong with a value, or null: for an act that asks a device for something before the server sees what was typed. */
  readonly findFault?: (value: string) => string | null;
}

export interface Act {
  /** The words on its button, and the title of its dialog. */
  readonly label: string;
  /** What it will do. */
  readonly words: string;
  readonly hasCredits?: boolean;
  readonly fields?: readonly ActField[];
  /** It asks for dollars, which may be left out: so many are left. */
  readonly dollarsLeft?: number;
  /** It moves nothing by itself, and asks for no reason. */
  readonly hasNoReason?: boolean;
  readonly isDangerous?: boolean;
  /** For an act that sends its `once`: what it moves and for whom, such as `grant acc_1`. */
  readonly madeOnce?: string;
  /** For an act of more than one field by hand that sends no `once`: by which it is known what was typed, and not sent. */
  readonly keptAs?: string;
  /** @returns what to say when it is done; null closes the dialog at once. */
  readonly run: (input: ActInput) => Promise<ActWords | null>;
}

/** One act of an operator: it asks why, how much where credits move, and for a code where the server wants one. */
export function ActDialog({ act, onClose }: { act: Act; onClose: () => void }) {
  // Escape and the cross give up what was typed as its button does: an old amount must not stand there for the next act.
  const cancelling = useRef(onClose);
  return (
    <ShownOnceModal opened onClose={() => cancelling.current()} closeOnClickOutside={false} title={act.label}>
      <ActForm act={act} onClose={onClose} cancelling={cancelling} />
    </ShownOnceModal>
  );
}

interface ActFormProps {
  act: Act;
  onClose: () => void;
  /** Is given what cancels it. */
  cancelling: RefObject<() => void>;
}

function ActForm({ act, onClose, cancelling }: ActFormProps) {
  const [prove] = useMutation(ProveDocument);
  const answered = useAnswered(act.madeOnce ?? null);
  const { typed, change, kept, discard, cancel } = useTypedAct(act, onClose);
  useEffect(() => {
    cancelling.current = cancel;
  });
  const { reason, credits, dollars, values } = typed;
  const fieldFaults = useFieldFaults();
  const unfit = fieldFaults.first ?? faultOf(act.fields, values);
  const [code, setCode] = useState('');
  const [isCodeWanted, setIsCodeWanted] = useState(false);
  const [fault, setFault] = useState<string | null>(answered.lostBefore);
  const [said, setSaid] = useState<ActWords | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  // What it makes may be shown once.
  useHeldDialog({ isHeld: isBusy });

  async function submit(event: FormEvent) {
    event.preventDefault();
    await carryOut(isCodeWanted ? code : null);
  }

  async function carryOut(given: string | null = null) {
    setFault(unfit);
    if (unfit !== null) return;
    setIsBusy(true);
    kept.send();
    try {
      if (given !== null) await prove({ variables: { code: given } });
      setIsCodeWanted(false);
      const cents = dollars === null ? null : Math.round(dollars * 100);
      const words = await act.run({ reason, credits: credits ?? 0, cents, once: answered.once, values });
      answered.done();
      if (words === null) onClose();
      else setSaid(words);
    } catch (error) {
      kept.fail(error);
      if (graphqlErrorReason(error) === 'fresh_factor_required') setIsCodeWanted(true);
      else setFault(error instanceof PasskeyUnusedError ? error.message : answered.failed(error));
    }
    setIsBusy(false);
  }

  if (said !== null) return <Said words={said} onClose={onClose} />;
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack gap="md">
        <Text size="sm">{act.words}</Text>
        <FormFault fault={fault} />
        <KeptNote isShown={kept.isRestored} onDiscard={discard} />
        <Inputs act={act} typed={typed} onChange={change} onFault={fieldFaults.note} />
        {isCodeWanted && <CodeInput value={code} onChange={setCode} />}
        {isCodeWanted && (
          <OperatorPasskeyProof
            onFault={setFault}
            onProved={() => {
              setIsCodeWanted(false);
              return carryOut();
            }}
          />
        )}
        <Group justify="flex-end">
          <BusyButton variant="default" isBusy={isBusy} onClick={cancel}>
            Cancel
          </BusyButton>
          <BusyButton type="submit" isBusy={isBusy} {...(act.isDangerous ? { color: 'red' } : {})}>
            {isBusy ? 'Working …' : act.label}
          </BusyButton>
        </Group>
      </Stack>
    </form>
  );
}

interface InputsProps {
  act: Act;
  typed: Typed;
  onChange: (some: Partial<Typed>) => void;
  onFault: NoteFault;
}

/** What the act asks for. */
function Inputs({ act, typed, onChange, onFault }: InputsProps) {
  const { reason, credits, dollars, values } = typed;
  return (
    <>
      {act.hasCredits && (
        <NumberField
          name="credits"
          label="Credits"
          required
          data-autofocus
          min={0.001}
          decimals={3}
          emptyFault="Enter the credits."
          value={credits}
          onChange={(value) => onChange({ credits: value })}
          onFault={onFault}
        />
      )}
      <Fields fields={act.fields ?? []} values={values} onChange={(own) => onChange({ values: own })} />
      {act.dollarsLeft !== undefined && (
        <DollarInput
          left={act.dollarsLeft}
          value={dollars}
          onChange={(value) => onChange({ dollars: value })}
          onFault={onFault}
        />
      )}
      {!act.hasNoReason && (
        <ReasonInput
          isFirst={!act.hasCredits && !act.fields}
          value={reason}
          onChange={(value) => onChange({ reason: value })}
        />
      )}
    </>
  );
}

const wholeNumberInput = { inputMode: 'numeric', pattern: '[0-9]+', title: 'A whole number, in digits alone' } as const;

type Values = Readonly<Record<string, string>>;

function faultOf(fields: readonly ActField[] = [], values: Values): string | null {
  return fields.map(({ name, findFault }) => findFault?.(values[name] ?? '') ?? null).find(Boolean) ?? null;
}

interface FieldsProps {
  fields: readonly ActField[];
  values: Values;
  onChange: (values: Values) => void;
}

function Fields({ fields, values, onChange }: FieldsProps) {
  return fields.map((field, index) => {
    const { name, label, description, isSecret = false, isTime = false, isTick = false, isOptional = false } = field;
    const numeric = field.isNumber ? wholeNumberInput : {};
    const shared = {
      label,
      ...(description === undefined ? {} : { description }),
      'data-autofocus': index === 0 || undefined,
    };
    const set = (value: string) => onChange({ ...values, [name]: value });
    if (field.choices) {
      const choose = ({ currentTarget }: ChangeEvent<HTMLSelectElement>) => set(currentTarget.value);
      return (
        <NativeSelect key={name} {...shared} data={[...field.choices]} value={values[name] ?? ''} onChange={choose} />
      );
    }
    if (isTick) {
      const tick = (isTicked: boolean) => set(isTicked ? 'yes' : '');
      const isTicked = values[name] === 'yes';
      return (
        <Checkbox
          key={name}
          {...shared}
          checked={isTicked}
          onChange={({ currentTarget }) => tick(currentTarget.checked)}
        />
      );
    }
    return (
      <TextInput
        key={name}
        name={name}
        {...shared}
        required={!isOptional}
        type={isSecret ? 'password' : isTime ? 'datetime-local' : 'text'}
        autoComplete="off"
        {...numeric}
        value={values[name] ?? ''}
        onChange={({ currentTarget }) => set(currentTarget.value)}
      />
    );
  });
}

function Said({ words, onClose }: { words: ActWords; onClose: () => void }) {
  if ('said' in words) {
    return (
      <Stack gap="md">
        <Words>{words.said}</Words>
        <Button onClick={onClose}>Done</Button>
      </Stack>
    );
  }
  return (
    <ShownOnce onSaved={onClose}>
      <Words>{words.shownOnce}</Words>
      <CopyButton value={words.shownOnce} what="it" withLabel />
    </ShownOnce>
  );
}

function Words({ children }: { children: string }) {
  return (
    <Alert color="pine" role="status" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
      {children}
    </Alert>
  );
}
