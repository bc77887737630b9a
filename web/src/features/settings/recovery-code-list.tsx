import { Alert } from '@mantine/core';
import { CodeBlock } from '../../components/code-block';
import { ShownOnce } from '../../components/shown-once-modal';

interface RecoveryCodeListProps {
  codes: readonly string[];
  onSaved: () => void;
}

/** Shows recovery codes for the one time that they can be shown. */
export function RecoveryCodeList({ codes, onSaved }: RecoveryCodeListProps) {
  return (
    <ShownOnce button="I have saved them" onSaved={onSaved}>
      <Alert color="amber" role="alert" title="This is the only time they are shown">
        Each code works once, for when your app or passkey is lost. Keep them apart from your password. Earlier codes no
        longer work.
      </Alert>
      <CodeBlock code={codes.join('\n')} what="your recovery codes" />
    </ShownOnce>
  );
}
