/** @jest-environment jsdom */
import { renderPage } from '../test/render-page';
import { MarkdownText } from './markdown-text';

describe('MarkdownText', () => {
  it('gives each block the direction of its letters, and code none but its own', () => {
    const text = '# عنوان\n\nمرحبا `npm start`\n\n- واحد\n- اثنان\n\n1. ثلاثة\n\n> قول\n\n```js\nconst toll = 1;\n```';
    renderPage(<MarkdownText text={text} />);
    const root = document.querySelector('p')?.parentElement;
    const directions = [...(root?.children ?? [])].map((block) => `${block.localName} ${block.getAttribute('dir')}`);
    expect(directions).toEqual(['p auto', 'p auto', 'ul auto', 'ol auto', 'blockquote auto', 'div null']);
  });
});
