import type { ReactNode } from 'react';

/** One component as the gallery shows it. */
export interface Sample {
  /** Its file in `web/src/components`, without the ending. */
  readonly file: string;
  readonly shown: ReactNode;
}
