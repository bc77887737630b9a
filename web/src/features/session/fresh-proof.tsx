import { type ComponentType, useEffect, useState } from 'react';
import { loadSoon, tellMissingCode } from '../../lib/load-in-the-end';
import { onProofWanted, type ProofWanted } from '../../lib/session/fresh-proof';

type Dialog = ComponentType<{ wanted: ProofWanted; onAnswer: (isProved: boolean) => void }>;
type LoadDialog = () => Promise<{ readonly default: Dialog }>;

const loadDialog: LoadDialog = () => import('./fresh-proof-dialog');

/** The first page is there and at rest by then. */
const fetchAheadMs = 5_000;

/**
 * Asks whoever does something dangerous who they are, when the server wants to know; what was begun then goes on by itself. Changes
 * that want it while it is asked wait for the same answer; a wanted factor proves what a password does, too. Each is answered:
 * `false` when this is taken off the page, and when the code of the question cannot be fetched, which is told. That code is fetched
 * ahead, since the server may have another release once it is needed.
 */
export function FreshProof({ load = loadDialog }: { load?: LoadDialog }) {
  const [Dialog, setDialog] = useState<Dialog | null>(null);
  const [wanted, setWanted] = useState<ProofWanted | null>(null);
  const [answerAll, setAnswerAll] = useState<((isProved: boolean) => void) | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => load().catch(() => undefined), fetchAheadMs);
    return () => clearTimeout(timer);
  }, [load]);
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
      loadSoon(load).then(
        (code) => setDialog(() => code.default),
        () => {
          if (waiting.length > 0) tellMissingCode();
          answer(false);
        },
      );
      return new Promise((resolve) => waiting.push(resolve));
    });
    return () => {
      stop();
      answer(false);
    };
  }, [load]);
  if (wanted === null || answerAll === null || Dialog === null) return null;
  return <Dialog wanted={wanted} onAnswer={answerAll} />;
}
