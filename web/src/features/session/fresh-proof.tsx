import { lazy, Suspense, useEffect, useState } from 'react';
import { loadInTheEnd } from '../../lib/load-in-the-end';
import { onProofWanted, type ProofWanted } from '../../lib/session/fresh-proof';

const FreshProofDialog = lazy(() => loadInTheEnd(() => import('./fresh-proof-dialog')));

interface Question {
  readonly wanted: ProofWanted;
  readonly answer: (isProved: boolean) => void;
}

/** Asks whoever does something dangerous who they are, when the server wants to know; what was begun then goes on by itself. */
export function FreshProof() {
  const [question, setQuestion] = useState<Question | null>(null);
  useEffect(() => onProofWanted((wanted) => new Promise((resolve) => setQuestion({ wanted, answer: resolve }))), []);
  if (question === null) return null;
  const answer = (isProved: boolean) => {
    setQuestion(null);
    question.answer(isProved);
  };
  return (
    <Suspense fallback={null}>
      <FreshProofDialog wanted={question.wanted} onAnswer={answer} />
    </Suspense>
  );
}
