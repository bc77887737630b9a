import { type ReactNode, useDeferredValue } from 'react';

interface InPiecesProps {
  /** Stands in its place until it is drawn. */
  outline: ReactNode;
  children: ReactNode;
}

/**
 * For what takes long to draw when its answer arrives: React draws it in pieces, between which the browser answers to its reader. What
 * is shown later in the same place is drawn at once, as everything is.
 */
export function InPieces({ outline, children }: InPiecesProps) {
  const isDue = useDeferredValue(true, false);
  return isDue ? children : outline;
}
