import type { SaveAnswer, SaveRequest } from "@/components/annotation/drafts/draft-sender";
import { readFailure } from "@/components/product/failure";

/** Seconds to wait where the server does not say. */
const defaultWait = 5;

/** What a refusal of a save means for what is kept. */
export function toSaveAnswer(error: unknown): SaveAnswer {
  const { status, detail, issues, retryAfter, facts } = readFailure(error);
  if (status === undefined) return { said: "unreachable" };
  if (status === 401) return { said: "signed_out" };
  if (status === 409) return { said: facts?.["code"] === "draft_moved" ? "moved" : "taken" };
  if (status === 429 || status === 503) return { said: "wait", seconds: retryAfter ?? defaultWait };
  if (status >= 500) return { said: "unreachable" };
  const at = issues.map(({ path, message }) => [path.join("."), message].filter(Boolean).join(": "));
  return { said: "refused", detail: at.join(" ") || detail };
}

/** Who has the task, of a refusal that says so; null where nobody is named. */
export function readHolder(error: unknown): { code: unknown; by: string | null } {
  const { facts } = readFailure(error);
  return { code: facts?.["code"], by: typeof facts?.["by"] === "string" ? facts["by"] : null };
}

/** What the page asks of the server about one task. */
export interface ServerCalls<Task> {
  /** The task as it is now. */
  read: () => Promise<Task>;
  /** Returns the token of the lease. */
  open: () => Promise<string>;
  takeOver: () => Promise<string>;
  renew: (lease: string, seconds: number) => Promise<unknown>;
  release: (lease: string, seconds: number) => Promise<unknown>;
  save: (lease: string, request: SaveRequest, seconds: number) => Promise<{ version: number; n: number }>;
}
