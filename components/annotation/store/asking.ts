import type { AskedPrompt } from "../tools/tool";

/** What is asked of a model, and what it answered last. */
export class Asking {
  /** The shapes of the last answer; null while the question is open. */
  answered: readonly string[] | null = null;
  private asker: ((asked: AskedPrompt) => void) | null = null;

  constructor(private readonly say: (text: string) => void) {}

  /** What asks models; null while nothing does. */
  setAsker(asker: ((asked: AskedPrompt) => void) | null): void {
    this.asker = asker;
  }

  setAnswered(ids: readonly string[]): void {
    this.answered = ids;
  }

  /** Asks a model, as the tool that does so or a field beside it. */
  ask(asked: AskedPrompt): void {
    if (asked.isNew) this.answered = null;
    if (this.asker) this.asker(asked);
    else this.say("The tool is being loaded; try again.");
  }
}
