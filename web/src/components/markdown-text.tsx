import { Fragment } from 'react';
import { type Block, type Inline, type List, parseMarkdown } from '../lib/format/markdown';
import { CodeBlock } from './code-block';
import classes from './markdown-text.module.css';

/**
 * What a model wrote, as it meant it. Made of elements, never of HTML, so that nothing in it can run; pictures are not fetched. Each
 * block has the direction of its letters.
 */
export function MarkdownText({ text }: { text: string }) {
  return (
    <div className={classes.root}>
      {parseMarkdown(text).map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only added at the end
        <BlockView key={index} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case 'code':
      return <CodeBlock code={block.code} what={block.language ? `${block.language} code` : 'code'} />;
    case 'rule':
      return <hr />;
    case 'list':
      return <ListView list={block} />;
    case 'heading':
      // Headings of an answer are none of the page.
      return (
        <p dir="auto" className={classes.heading} data-level={Math.min(block.level, 3)}>
          <Inlines inlines={block.inlines} />
        </p>
      );
    default: {
      const Place = block.kind === 'quote' ? 'blockquote' : 'p';
      return (
        <Place dir="auto">
          <Inlines inlines={block.inlines} />
        </Place>
      );
    }
  }
}

function ListView({ list: { isOrdered, start, items } }: { list: List }) {
  const shown = items.map((inlines, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items are only added at the end
    <li key={index}>
      <Inlines inlines={inlines} />
    </li>
  ));
  return isOrdered ? (
    <ol dir="auto" start={start}>
      {shown}
    </ol>
  ) : (
    <ul dir="auto">{shown}</ul>
  );
}

function Inlines({ inlines }: { inlines: readonly Inline[] }) {
  return inlines.map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts are only added at the end
    <Fragment key={index}>{showInline(part)}</Fragment>
  ));
}

function showInline(part: Inline) {
  switch (part.kind) {
    case 'code':
      return <code>{part.text}</code>;
    case 'strong':
      return <strong>{part.text}</strong>;
    case 'em':
      return <em>{part.text}</em>;
    case 'link':
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer nofollow">
          {part.text}
        </a>
      );
    default:
      return part.text;
  }
}
