import { Textarea } from '@mantine/core';
import { type ChatSettings, findSchemaFault, findToolsFault } from '../../lib/playground/chat-body';
import classes from './playground.module.css';

interface AnswerFormProps {
  settings: Pick<ChatSettings, 'schema' | 'tools'>;
  onChange: (change: Partial<ChatSettings>) => void;
}

/** What the answer has to look like, and what the model may ask for instead of answering. */
export function AnswerForm({ settings: { schema = '', tools = '' }, onChange }: AnswerFormProps) {
  return (
    <>
      <JsonField
        label="JSON schema"
        description="The answer is JSON that follows this schema. Empty: text."
        placeholder='{"type":"object"}'
        value={schema}
        fault={findSchemaFault(schema)}
        onChange={(text) => onChange({ schema: text })}
      />
      <JsonField
        label="Tools"
        description="Functions that the model may call, as a JSON list. They are not run here."
        placeholder='[{"type":"function"}]'
        value={tools}
        fault={findToolsFault(tools)}
        onChange={(text) => onChange({ tools: text })}
      />
    </>
  );
}

interface JsonFieldProps {
  label: string;
  description: string;
  placeholder: string;
  value: string;
  fault: string | null;
  onChange: (text: string) => void;
}

function JsonField({ fault, onChange, ...field }: JsonFieldProps) {
  return (
    <Textarea
      {...field}
      className={classes.monospace}
      autosize
      minRows={1}
      maxRows={12}
      spellCheck={false}
      error={fault}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
