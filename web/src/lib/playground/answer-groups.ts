import type { ChatMessage } from './chat-body';

/** One question or answer; an answer says whose it is. */
interface SaidTurn extends ChatMessage {
  readonly model?: string;
}

/** A question, and what each model that was asked said to it. */
export interface AnswerGroup<Turn> {
  readonly question: Turn;
  readonly answers: readonly Turn[];
}

/** The turns of a conversation by their questions. */
export function groupTurns<Turn extends SaidTurn>(turns: readonly Turn[]): readonly AnswerGroup<Turn>[] {
  const groups: { question: Turn; answers: Turn[] }[] = [];
  for (const turn of turns) {
    if (turn.role === 'user') groups.push({ question: turn, answers: [] });
    else groups.at(-1)?.answers.push(turn);
  }
  return groups;
}

/**
 * What one model is sent of a conversation that ends with a question. It goes on with its own answers; where it was not asked, it reads
 * the first model's. Answers without words are left out, with the questions before them.
 */
export function messagesFor(model: string, turns: readonly SaidTurn[]): readonly ChatMessage[] {
  const groups = groupTurns(turns);
  return groups.flatMap(({ question, answers }, at) => {
    if (at === groups.length - 1) return [toMessage(question)];
    const worded = answers.filter(({ content }) => content !== '');
    const answer = worded.find((one) => one.model === model) ?? worded[0];
    return answer ? [toMessage(question), toMessage(answer)] : [];
  });
}

function toMessage({ role, content, images }: SaidTurn): ChatMessage {
  return images && images.length > 0 ? { role, content, images } : { role, content };
}
