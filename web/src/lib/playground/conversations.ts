/** Talks that are kept beside each other; the first is the newest. */
export interface Conversations<Turn> {
  readonly currentId: string;
  readonly all: readonly Conversation<Turn>[];
}

export interface Conversation<Turn> {
  /** In the order of the letters they are in the order in which they were begun. */
  readonly id: string;
  readonly turns: readonly Turn[];
}

/** How many are kept; the one that was begun longest ago goes first. */
export const conversationsMax = 20;
const titleLengthMax = 48;

/** What was said in the conversation that is open. */
export function currentTurns<Turn>({ currentId, all }: Conversations<Turn>): readonly Turn[] {
  return all.find(({ id }) => id === currentId)?.turns ?? [];
}

/** Writes what was said into a conversation, the open one unless another is named; without a word in it, it is none. */
export function withTurns<Turn>(
  kept: Conversations<Turn>,
  turns: readonly Turn[],
  id = kept.currentId,
): Conversations<Turn> {
  const { currentId, all } = kept;
  const isKnown = all.some((one) => one.id === id);
  const changed = { id, turns };
  const next = isKnown ? all.map((one) => (one.id === id ? changed : one)) : [changed, ...all];
  return { currentId, all: next.filter((one) => one.turns.length > 0).slice(0, conversationsMax) };
}

/** Opens a new one beside those that are kept; without any, nothing has been said yet. */
export function beginAnother<Turn>({ all }: Pick<Conversations<Turn>, 'all'>): Conversations<Turn> {
  return { currentId: createConversationId(), all };
}

/** What a conversation is called: how its first question begins. */
export function titleOf({ turns }: Conversation<{ readonly content: string }>): string {
  const words = (turns[0]?.content ?? '').trim().replace(/\s+/g, ' ');
  return [...words].length > titleLengthMax ? `${[...words].slice(0, titleLengthMax).join('')} …` : words;
}

// By its time, and apart from those that another browser begins at the same moment.
function createConversationId(): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `${Date.now().toString(36)}-${random.toString(36)}`;
}
