import { Anchor } from '@mantine/core';
import type { MouseEvent } from 'react';
import classes from './settings.module.css';

/** A part of the page, around its card. */
export interface SettingsPart {
  readonly id: string;
  /** As its card has it. */
  readonly title: string;
}

/** The parts of the page, each a way to its heading, from where the keyboard and a screen reader go on. */
export function SettingsContents({ parts }: { parts: readonly SettingsPart[] }) {
  function goTo(event: MouseEvent, id: string) {
    const heading = document.querySelector<HTMLElement>(`#${id} h2`);
    // Its card may not be there yet; then the browser goes to its place.
    if (heading === null) return;
    event.preventDefault();
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    heading.scrollIntoView();
  }
  return (
    <nav aria-label="On this page" className={classes.contents}>
      <ul>
        {parts.map(({ id, title }) => (
          <li key={id}>
            <Anchor href={`#${id}`} c="dimmed" size="sm" fw={550} onClick={(event) => goTo(event, id)}>
              {title}
            </Anchor>
          </li>
        ))}
      </ul>
    </nav>
  );
}
