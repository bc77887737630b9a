/** @jest-environment jsdom */
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { screen } from '@testing-library/react';
import { renderPage } from '../test/render-page';
import { GalleryPage } from './gallery-page';

describe('GalleryPage', () => {
  it('shows every component that pages share, under the name of its file', () => {
    const files = readdirSync('web/src/components', { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.tsx') && !name.endsWith('.test.tsx'))
      .map((name) => basename(name, '.tsx'));
    renderPage(<GalleryPage />);
    const titles = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
    expect(files.length).toBeGreaterThan(25);
    expect(files.filter((file) => !titles.includes(file))).toEqual([]);
  });
});
