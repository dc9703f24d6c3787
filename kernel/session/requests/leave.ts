// Gives cells `exit` and `quit`, which end the session as a console user means it: the variables go, the notebook
// stays, and nothing counts as failed.

/** Thrown by a cell that leaves, past whatever would come next. */
export class Leave extends Error {
  override readonly name = "Leave";
}

function leave(): never {
  throw new Leave();
}

/** What front ends that are consoles end with too. */
export const leavePayload = { source: "ask_exit", keepkernel: false };

/** Typed alone, without parentheses, they are meant as with them. */
export function isLeave(value: unknown): boolean {
  return value === leave;
}

export const leavers = { exit: leave, quit: leave };
