// Asks questions about one document one after the other, for its text must stay until the answer is there.

/**
 * Asks one question after the other. A question that fails answers what "nothing" is for it, and the reason is
 * reported.
 */
export class Questions {
  readonly #report: (sentence: string) => void;
  #last: Promise<unknown> = Promise.resolve();

  constructor(report: (sentence: string) => void) {
    this.#report = report;
  }

  ask<Answer>(nothing: Answer, question: () => Promise<Answer>): Promise<Answer> {
    const answer = this.#last.then(question).catch((error: unknown) => {
      this.#report(
        `The type service did not answer: ${String(error)}. This answer lacks its types; the cell itself is not affected.`,
      );
      return nothing;
    });
    this.#last = answer;
    return answer;
  }
}
