import { withDownloadLink } from "@/server/features/exports/event-link-service";
import { withResults } from "@/server/features/tasks/event-result-service";
import type { Ctx } from "@/server/platform/context";

type Payload = Readonly<Record<string, unknown>>;

/**
 * The payloads of platform events as webhooks and agents receive them: with what is not stored with the event, because
 * it is secret (links) or large (annotations), as far as the caller sees it.
 */
export async function toSentPayloads(ctx: Ctx, payloads: readonly Payload[]): Promise<Record<string, unknown>[]> {
  const complete = await withResults(ctx, payloads);
  return Promise.all(complete.map((payload) => withDownloadLink(ctx, payload)));
}

/** The same for one payload. */
export async function toSentPayload(ctx: Ctx, payload: Payload): Promise<Record<string, unknown>> {
  const [sent = payload] = await toSentPayloads(ctx, [payload]);
  return sent;
}
