import type { LaterStep, ToolContext, ToolStep } from "../tools/tool";

type Later = NonNullable<ToolStep<never>["later"]>;

/** What tools compute elsewhere: taken in the order in which it was begun, and never for another draft. */
export class LaterSteps {
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;
  private draft = 0;

  /** `take` does what a step says. */
  constructor(
    private readonly context: () => ToolContext,
    private readonly take: (step: LaterStep) => void,
  ) {}

  /** Whether something that was drawn is not in the draft yet. */
  get isBusy(): boolean {
    return this.waiting > 0;
  }

  /** Resolves when everything that was drawn is in the draft. */
  settle = (): Promise<void> => this.last;

  /** There is another draft: what is still computed is of one that is no longer here. */
  leave(): void {
    this.draft += 1;
  }

  add(later: Later): void {
    const { draft, last } = this;
    this.waiting += 1;
    this.last = later.then(async (toStep) => {
      await last;
      this.waiting -= 1;
      const step = toStep(this.context());
      if (draft === this.draft) this.take(step);
    });
  }
}
