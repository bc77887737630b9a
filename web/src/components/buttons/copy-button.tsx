import { ActionIcon, Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import { IconCheck, IconCopy } from '../icons';

interface CopyButtonProps {
  value: string;
  /** What is copied, for the accessible name: "Copy " plus this. */
  what: string;
  /** Shows the words beside the icon. */
  withLabel?: boolean;
}

/** Copies a value; says so for two seconds, and says what to do when the browser refuses. */
export function CopyButton({ value, what, withLabel = false }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setIsCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [isCopied]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(value);
      setIsCopied(true);
    } catch {
      notifications.show({
        color: 'red',
        title: 'The browser did not allow copying',
        message: 'Select the text and copy it by hand.',
      });
    }
  }

  const label = isCopied ? 'Copied' : `Copy ${what}`;
  const icon = isCopied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />;
  if (withLabel) {
    return (
      <Button variant="default" leftSection={icon} onClick={copy} aria-live="polite">
        {label}
      </Button>
    );
  }
  return (
    <ActionIcon variant="subtle" color="gray" c="inherit" onClick={copy} aria-label={label} title={label}>
      {icon}
    </ActionIcon>
  );
}
