import { lazy, Suspense, useEffect, useState } from 'react';
import { loadInTheEnd } from '../../lib/load-in-the-end';
import { onProofWanted, type ProofWanted } from '../../lib/session/fresh-proof';

const FreshProofDialog = lazy(() => loadInTheEnd(() => import('./fresh-proof-dialog')));

/**
 * Asks whoever does something dangerous who they are, when the server wants to know; what was begun then goes on by itself. Changes
 * that want it while it is asked wait for the same answer; a wanted factor proves what a password does, too. Each is answered:
 * `false` when this is taken off the page.
 */
export function FreshProof() {
  const [wanted, setWanted] = useState<ProofWanted | null>(null);
  const [answerAll, setAnswerAll] = useState<((isProved: boolean) => void) | null>(null);
  useEffect(() => {
    let waiting: ((isProved: boolean) => void)[] = [];
    const answer = (isProved: boolean) => {
      const answered = waiting;
      waiting = [];
      setWanted(null);
      for (const resolve of answered) resolve(isProved);
    };
    setAnswerAll(() => answer);
    const stop = onProofWanted((next) => {
      setWanted((now) => (now === 'factor' ? now : next));
      return new Promise((resolve) => waiting.push(resolve));
    });
    return () => {
      stop();
      answer(false);
    };
  }, []);
  if (wanted === null || answerAll === null) return null;
  return (
    <Suspense fallback={null}>
      <FreshProofDialog wanted={wanted} onAnswer={answerAll} />
    </Suspense>
  );
}
