/** What the server wants as a proof of who is there: the password alone, or something that the account's owner has. */
export type ProofWanted = 'password' | 'factor';

/** Asks whoever sits there. Answers whether the server took the proof. */
type AskForProof = (wanted: ProofWanted) => Promise<boolean>;

let ask: AskForProof | null = null;

/** Says who asks; the last one does. Returns what takes that back. */
export function onProofWanted(askForProof: AskForProof): () => void {
  ask = askForProof;
  return () => {
    if (ask === askForProof) ask = null;
  };
}

/** Asks for a proof, and answers whether it was given; false where nobody can be asked. */
export function askForProof(wanted: ProofWanted): Promise<boolean> {
  return ask?.(wanted) ?? Promise.resolve(false);
}
