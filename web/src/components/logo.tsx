import { useId } from 'react';
import classes from './logo.module.css';

/** The barrier and the name. Decorative: the name is text. */
export function Logo() {
  const clipId = useId();
  return (
    <span className={classes.root}>
      <svg viewBox="0 0 32 32" width="30" height="30" aria-hidden="true">
        <rect width="32" height="32" rx="9" fill="#064436" />
        <rect x="7" y="8" width="4" height="17" rx="1.5" fill="#f4f7f5" />
        <clipPath id={clipId}>
          <rect x="7" y="10" width="20" height="5" rx="2.5" />
        </clipPath>
        <g clipPath={`url(#${clipId})`}>
          <path fill="#f5b52e" d="M7 10h20v5H7z" />
          <path fill="#162019" d="m14 10-3 5h3.500l3-5zm7 0-3 5h3.500l3-5z" />
        </g>
      </svg>
      Tollgate
    </span>
  );
}
