/** @jest-environment jsdom */
import { readdirSync } from 'node:fs';
import { screen } from '@testing-library/react';
import { renderPage } from '../test/render-page';
import { GalleryPage } from './gallery-page';

describe('GalleryPage', () => {
  it('shows every component that pages share, under the name of its file', () => {
    const files = readdirSync('web/src/components')
      .filter((name) => name.endsWith('.tsx') && !name.endsWith('.test.tsx'))
      .map((name) => name.replace('.tsx', ''));
    renderPage(<GalleryPage />);
    const titles = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
    expect(files.length).toBeGreaterThan(25);
    expect(files.filter((file) => !titles.includes(file))).toEqual([]);
  });
});
