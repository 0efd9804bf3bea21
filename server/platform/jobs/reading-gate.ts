/** What wants to be read. */
export interface Reader {
  /** With nothing else being read in this process. */
  alone: boolean;
  /** It may take minutes. */
  slow: boolean;
}

interface Waiting extends Reader {
  enter: () => void;
}

/**
 * Lets jobs of one process read beside each other, and some of them alone. They begin in the order in which they came;
 * only while one that wants to be alone waits for a slow one do those that are not slow pass it.
 */
export class ReadingGate {
  private readonly inside = new Set<Reader>();
  private waiting: Waiting[] = [];

  /** Resolves, once the reader may begin, to a function that ends its reading. Rejects when the signal is aborted before. */
  async enter(reader: Reader, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.waiting = this.waiting.filter((each) => each !== waiting);
        this.admit();
        reject(signal.reason as Error);
      };
      const end = () => {
        this.inside.delete(waiting);
        this.admit();
      };
      const enter = () => {
        signal.removeEventListener("abort", abort);
        this.inside.add(waiting);
        resolve(end);
      };
      const waiting: Waiting = { ...reader, enter };
      signal.addEventListener("abort", abort, { once: true });
      this.waiting.push(waiting);
      this.admit();
    });
  }

  private admit(): void {
    let passesOther = false;
    for (const each of [...this.waiting]) {
      const inside = [...this.inside];
      const isFree = each.alone
        ? inside.length === 0 && !passesOther
        : !inside.some(({ alone }) => alone) && (!passesOther || (!each.slow && inside.some(({ slow }) => slow)));
      if (isFree) {
        this.waiting = this.waiting.filter((other) => other !== each);
        each.enter();
      } else if (each.alone) passesOther = true;
    }
  }
}
