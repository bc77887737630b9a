/** @jest-environment jsdom */
import { Alert, Button } from '@mantine/core';
import { screen } from '@testing-library/react';
import { FormFault } from '../components/form-fault';
import { renderPage } from '../test/render-page';

describe('The theme', () => {
  it('has what stands on a page from the start read in its place, and interrupts a reader for what an act brought', () => {
    renderPage(
      <>
        <Alert title="You owe 5 credits" />
        <FormFault fault="The name is taken." />
      </>,
    );
    expect(screen.getByRole('note', { name: 'You owe 5 credits' })).toBeTruthy();
    expect(screen.getAllByRole('alert').map(({ textContent }) => textContent)).toEqual(['The name is taken.']);
  });

  it('has white words on one dark red, by day and by night, on the button of what cannot be undone', () => {
    renderPage(<Button color="red">Remove</Button>);
    const { style } = screen.getByRole('button', { name: 'Remove' });
    expect(style.getPropertyValue('--button-bg')).toBe('var(--mantine-color-red-8)');
    expect(style.getPropertyValue('--button-color')).toBe('#ffffff');
  });
});
