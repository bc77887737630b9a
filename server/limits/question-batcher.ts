interface Waiting<Question, Answer> {
  readonly question: Question;
  resolve(answer: Answer | Promise<Answer>): void;
  reject(error: unknown): void;
}

/**
 * Answers questions in groups: while one group is under way, those that come wait, and are the next group. So a store is asked
 * once for many, however many callers there are, and a single question is asked at once.
 */
export class QuestionBatcher<Question, Answer> {
  #waiting: Waiting<Question, Answer>[] = [];
  #isRunning = false;

  /**
   * @param answerAll Answers each question of a group, in their order; with what it throws, each of them is rejected. An answer that is
   *   still to come holds up nobody else.
   */
  constructor(
    private readonly answerAll: (questions: readonly Question[]) => Promise<readonly (Answer | Promise<Answer>)[]>,
    private readonly groupMax = 500,
  ) {}

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Who asks in the same turn of the loop belongs to the first group, too.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.groupMax);
      try {
        const answers = await this.answerAll(group.map(({ question }) => question));
        for (const [index, { resolve }] of group.entries()) resolve(answers[index] as Answer | Promise<Answer>);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#isRunning = false;
  }
}
