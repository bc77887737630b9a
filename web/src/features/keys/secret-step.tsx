import { Alert, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { proxyBaseUrl } from '../../app/paths';
import { CodeBlock } from '../../components/code-block';
import { ShownOnce } from '../../components/shown-once-modal';
import { environmentSnippet } from '../../lib/quickstart-snippets';

/** A secret, and the key that it belongs to. */
export interface ShownSecret {
  readonly keyName: string;
  readonly secret: string;
}

interface SecretStepProps extends ShownSecret {
  secret: string;
  onSaved: () => void;
  /** What else one must know now. */
  children?: ReactNode;
}

/** Shows a secret for the one time that it can be shown. */
export function SecretStep({ keyName, secret, onSaved, children }: SecretStepProps) {
  return (
    <ShownOnce onSaved={onSaved}>
      <Alert color="amber" role="alert" title="This is the only time your key is shown">
        We store only a hash of it. If you lose it, rotate the key to get a new secret.
      </Alert>
      {children}
      <div>
        <Text fw={600} size="sm" mb={4}>
          Secret of {keyName}
        </Text>
        <CodeBlock code={secret} what="your key" />
      </div>
      <div>
        <Text fw={600} size="sm" mb={4}>
          For a .env file
        </Text>
        <CodeBlock code={environmentSnippet(proxyBaseUrl(), secret)} what=".env snippet" />
      </div>
    </ShownOnce>
  );
}
