import { CopyButton } from './buttons/copy-button';
import classes from './code-block.module.css';

interface CodeBlockProps {
  code: string;
  /** What the code is, for the copy button and for readers of the region. */
  what: string;
}

/** Code that scrolls inside its own box, with a copy button. */
export function CodeBlock({ code, what }: CodeBlockProps) {
  return (
    <div className={classes.root}>
      {/* A scrolling region must be reachable by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the region scrolls sideways */}
      <section className={classes.scroll} tabIndex={0} aria-label={what}>
        <pre className={classes.code}>
          <code>{code}</code>
        </pre>
      </section>
      <div className={classes.copy}>
        <CopyButton value={code} what={what} />
      </div>
    </div>
  );
}
