import { promptKinds, type ModelPrompt, type PromptKind } from "@/domain/models/prompt";
import type { Annotation } from "@/domain/tasks/schema";

/** A model that takes prompts. */
export interface PromptModel {
  /** Of its integration. */
  uid: string;
  name: string;
  prompts: readonly PromptKind[];
}

export interface ModelQuestion {
  /** The integration. */
  model: string;
  request_id: string;
  labels: readonly string[];
  prompt: ModelPrompt;
}

export interface ModelAnswer {
  /** Why there is none. */
  error: string | null;
  predictions: readonly Annotation[];
}

/** What the page gives the editor, so that it can ask models. */
export interface EditorPrompts {
  models: readonly PromptModel[];
  /** Rejects with a reason for people. */
  ask: (question: ModelQuestion) => Promise<ModelAnswer>;
}

interface DeskMeans {
  ask: (question: ModelQuestion) => Promise<ModelAnswer>;
  createId: () => string;
  /** The answer to the last question. */
  onAnswer: (predictions: readonly Annotation[]) => void;
  onFailure: (reason: string) => void;
  /** Whether an answer is being waited for. */
  onWaiting: (isWaiting: boolean) => void;
}

/** Questions that a person may have open at the same time. */
const most = 2;

const members = { point: "points", box: "box", text: "text" } as const satisfies Record<PromptKind, keyof ModelPrompt>;
const refusals: Readonly<Record<PromptKind, string>> = {
  point: "This model takes no points: drag a box.",
  box: "This model takes no boxes: press on what is meant.",
  text: "This model takes no texts.",
};

/** Why a model cannot be asked that; null where it can. */
export function refusePrompt(prompt: ModelPrompt, kinds: readonly PromptKind[]): string | null {
  const wrong = promptKinds.find((kind) => prompt[members[kind]] !== undefined && !kinds.includes(kind));
  return wrong === undefined ? null : refusals[wrong];
}

/** Asks models: only what answers the newest question is shown, and of those that have to wait the newest is asked. */
export class PromptDesk {
  private newest: string | null = null;
  private running = 0;
  private next: ModelQuestion | null = null;

  constructor(private readonly means: DeskMeans) {}

  ask(question: Omit<ModelQuestion, "request_id">): void {
    const asked = { ...question, request_id: this.means.createId() };
    this.newest = asked.request_id;
    this.means.onWaiting(true);
    if (this.running >= most) this.next = asked;
    else void this.send(asked);
  }

  /** What is still answered is shown to nobody. */
  leave(): void {
    [this.newest, this.next] = [null, null];
    this.means.onWaiting(false);
  }

  private async send(question: ModelQuestion): Promise<void> {
    this.running += 1;
    const answer = await this.means.ask(question).catch((error: unknown): ModelAnswer => ({
      error: error instanceof Error ? error.message : "The model could not be asked.",
      predictions: [],
    }));
    this.running -= 1;
    const { next } = this;
    this.next = null;
    if (next) void this.send(next);
    if (this.newest !== question.request_id) return;
    this.newest = null;
    this.means.onWaiting(false);
    if (answer.error === null) this.means.onAnswer(answer.predictions);
    else this.means.onFailure(answer.error);
  }
}
