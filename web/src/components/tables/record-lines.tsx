import { VisuallyHidden } from '@mantine/core';
import classes from './record-lines.module.css';
import { breakAddress, Detail, isNothing, type RecordTableProps } from './record-table';

/**
 * For numbers to be compared, on phones: a row is its title and figures on one line, which opens to the rest. What the figures count stands
 * once, above all lines; a screen reader is told with each.
 */
export function RecordLines<Row>({ label, columns, rows, keyOf }: RecordTableProps<Row>) {
  const inPlace = (place: string) => columns.filter((column) => (column.card ?? 'detail') === place);
  const figures = inPlace('figure');
  return (
    <div className={classes.table}>
      <div className={classes.heads} aria-hidden="true">
        {[...inPlace('title'), ...figures].map(({ header }) => (
          <span key={header}>{header}</span>
        ))}
      </div>
      <ul className={classes.lines} aria-label={label}>
        {rows.map((row) => {
          const details = inPlace('detail').filter(({ cell }) => !isNothing(cell(row)));
          const line = (
            <>
              <span>{inPlace('title').map(({ cell }) => breakAddress(cell(row)))}</span>
              {figures.map(({ header, cell }) => (
                <span key={header} className="numeric">
                  <VisuallyHidden>{header} </VisuallyHidden>
                  {cell(row)}
                </span>
              ))}
            </>
          );
          return (
            <li key={keyOf(row)}>
              {details.length === 0 ? (
                <div className={classes.line}>{line}</div>
              ) : (
                <details>
                  <summary className={classes.line}>{line}</summary>
                  <dl className={classes.details}>
                    {details.map(({ header, cell }) => (
                      <Detail key={header} name={header} value={cell(row)} />
                    ))}
                  </dl>
                </details>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
