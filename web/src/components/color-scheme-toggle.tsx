import { ActionIcon, useMantineColorScheme } from '@mantine/core';
import { startTransition } from 'react';
import { IconDeviceDesktop, IconMoon, IconSun } from './icons';

const schemes = {
  auto: { next: 'light', words: 'as the system', Icon: IconDeviceDesktop },
  light: { next: 'dark', words: 'light', Icon: IconSun },
  dark: { next: 'auto', words: 'dark', Icon: IconMoon },
} as const;

/** Goes round system, light, dark. The choice is kept in this browser. */
export function ColorSchemeToggle() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { next, words, Icon } = schemes[colorScheme];
  const label = `Colours: ${words}. Switch to ${schemes[next].words}`;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      c="dimmed"
      size="lg"
      aria-label={label}
      title={label}
      // The colours change at once; that everything is told of it, charts as well, may come a picture later.
      onClick={() => startTransition(() => setColorScheme(next))}
    >
      <Icon size={19} aria-hidden />
    </ActionIcon>
  );
}
