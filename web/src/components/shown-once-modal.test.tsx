/** @jest-environment jsdom */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Modal } from '@mantine/core';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { isPageHeld } from '../lib/forms/held-page';
import { endSessionOfTab } from '../lib/session/session-end';
import { renderPage } from '../test/render-page';
import { ShownOnce, ShownOnceModal, useHeldDialog } from './shown-once-modal';

function Page() {
  const [isOpen, setOpen] = useState(true);
  const [isMade, setMade] = useState(false);
  if (!isOpen) return <p>Closed</p>;
  return (
    <ShownOnceModal opened onClose={() => setOpen(false)} title="A code">
      {isMade ? (
        <ShownOnce onSaved={() => setOpen(false)}>42-codes</ShownOnce>
      ) : (
        <button type="button" onClick={() => setMade(true)}>
          Make it
        </button>
      )}
    </ShownOnceModal>
  );
}

function Making() {
  useHeldDialog({ isHeld: true });
  return <p>Working …</p>;
}

/** What leads away from a dialog beside its own button. */
const ways: Readonly<Record<string, () => void>> = {
  Escape: () => fireEvent.keyDown(document.body, { key: 'Escape' }),
  'a click beside it': () => fireEvent.click(document.querySelector('.mantine-Modal-overlay') as Element),
};

/** Whether the browser asks before the page is left. */
const asksBeforeLeaving = () => !fireEvent(window, new Event('beforeunload', { cancelable: true }));

/** Whoever stays is led forward again. */
const waitForPlace = (idx: number) =>
  waitFor(() => expect(window.history.state).toEqual(expect.objectContaining({ idx })));

async function show() {
  const page = renderPage(<Page />, {}, '/settings');
  await page.user.click(await screen.findByText('Make it'));
  await screen.findByText('42-codes');
  return page;
}

describe('What is shown once in a dialog', () => {
  it.each(Object.keys(ways))('stays until it is said to be saved, whatever %s does', async (way) => {
    const { user } = await show();
    ways[way]?.();
    screen.getByText('42-codes');
    expect(document.querySelector('.mantine-Modal-close')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'I have saved it' }));
    await screen.findByText('Closed');
    expect(isPageHeld()).toBe(false);
  });

  it.each(Object.keys(ways))('has a dialog that %s closes as long as nothing is shown', async (way) => {
    renderPage(<Page />, {}, '/settings');
    await screen.findByText('Make it');
    expect(asksBeforeLeaving()).toBe(false);
    ways[way]?.();
    await screen.findByText('Closed');
  });

  it.each(Object.keys(ways))('is not lost by %s while it is being made', async (way) => {
    const close = jest.fn();
    renderPage(
      <ShownOnceModal opened onClose={close}>
        <Making />
      </ShownOnceModal>,
    );
    await screen.findByText('Working …');
    ways[way]?.();
    expect(close).not.toHaveBeenCalled();
    expect(asksBeforeLeaving()).toBe(true);
  });

  it('has the browser ask before the page is left, until it is saved or the session has ended', async () => {
    await show();
    expect(asksBeforeLeaving()).toBe(true);
    act(endSessionOfTab);
    expect(asksBeforeLeaving()).toBe(false);
  });

  it('stays where Back is pressed, unless whoever is asked says that they leave', async () => {
    const asked = jest.spyOn(window, 'confirm').mockReturnValue(false);
    renderPage(<p>Before</p>, {}, '/before');
    window.history.replaceState({ idx: 0 }, '', '/before');
    window.history.pushState({ idx: 1 }, '', '/settings');
    const heard = jest.fn();
    window.addEventListener('popstate', heard);
    const { user } = renderPage(<Page />, {}, '/settings');
    window.history.replaceState({ idx: 1 }, '', '/settings');
    await user.click(await screen.findByText('Make it'));
    await screen.findByText('42-codes');
    window.history.back();
    await waitFor(() => expect(asked).toHaveBeenCalledTimes(1));
    await waitForPlace(1);
    expect(heard).not.toHaveBeenCalled();
    asked.mockReturnValue(true);
    window.history.back();
    await waitFor(() => expect(heard).toHaveBeenCalledTimes(1));
    window.removeEventListener('popstate', heard);
    asked.mockRestore();
  });

  it('cannot stand in a dialog that would lose it', () => {
    const told = jest.spyOn(console, 'error').mockImplementation(() => {});
    const bare = () =>
      renderPage(
        <Modal opened onClose={() => {}}>
          <ShownOnce onSaved={() => {}}>42-codes</ShownOnce>
        </Modal>,
      );
    expect(bare).toThrow('stands in a ShownOnceModal');
    told.mockRestore();
  });

  it('is marked as such wherever a page says that it is shown once', () => {
    const folder = join(__dirname, '..');
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^features.*[^t]\.tsx$/.test(name),
    );
    const saying = names.filter((name) => /only time|I have saved/.test(readFileSync(join(folder, name), 'utf8')));
    const unmarked = saying.filter((name) => !readFileSync(join(folder, name), 'utf8').includes('<ShownOnce'));
    // The first key stays on the page for half an hour, also when it is loaded anew.
    expect(unmarked).toEqual([join('features', 'overview', 'quickstart-card.tsx')]);
  });
});
