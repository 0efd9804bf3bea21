import { getPictureSize } from "@/domain/annotations/picture-bounds";
import type { ModelPrompt, PromptKind } from "@/domain/models/prompt";
import type { PromptModel } from "@/domain/models/schema";
import { findIntegration } from "@/server/features/models/integration-service";
import { predict } from "@/server/features/models/predict";
import { PredictionFailed, type PredictItem } from "@/server/features/models/provider-request";
import type { PromptAnswer } from "@/server/features/models/resource";
import { getItemToPredict } from "@/server/features/models/run-service";
import type { Ctx } from "@/server/platform/context";
import { invalid, ServiceError } from "@/server/platform/errors";
import { countRequest, throttled } from "@/server/platform/rate-limit/rate-limit";
import { takeSlot } from "@/server/platform/rate-limit/slots";

/** What a prompt consists of, and how people call each. */
const parts: Readonly<Record<PromptKind, { member: keyof ModelPrompt; name: string }>> = {
  point: { member: "points", name: "points" },
  box: { member: "box", name: "boxes" },
  text: { member: "text", name: "texts" },
};

function requireKinds(prompt: ModelPrompt, kinds: readonly PromptKind[]): void {
  for (const [kind, { member, name }] of Object.entries(parts))
    if (prompt[member] !== undefined && !kinds.some((each) => each === kind))
      throw invalid(["prompt", member], `This model takes no ${name}.`);
}

/** Throws `invalid` for what is shown outside of the item's picture. */
function requireInside({ points = [], box }: ModelPrompt, { media_type: type, metadata }: PredictItem): void {
  const size = getPictureSize(type, metadata);
  if (!size) return;
  const isOutside = (x: number, y: number) => x < 0 || y < 0 || x > size.width || y > size.height;
  const wrong = points.findIndex(([x, y]) => isOutside(x, y));
  if (wrong >= 0) throw invalid(["prompt", "points", wrong], "This place is outside of the picture.");
  if (!box) return;
  const [x, y, width, height] = box;
  if (isOutside(x, y) || isOutside(x + width, y + height))
    throw invalid(["prompt", "box"], "This box is not within the picture.");
}

/**
 * Asks a model what somebody points at in a picture. Where it fails, `error` says why. Stores nothing. Throws `invalid`, and
 * `throttled` for more than people ask while they draw.
 */
export async function promptModel(ctx: Ctx, input: PromptModel): Promise<PromptAnswer> {
  const { integration_uid: uid, dataset_item_uid: itemUid, request_id, prompt, labels } = input;
  const integration = await findIntegration(ctx, uid);
  if (!integration) throw invalid("integration_uid", `Invalid pk "${uid}" - object does not exist.`);
  requireKinds(prompt, integration.prompts);
  const item = await getItemToPredict(ctx, itemUid);
  requireInside(prompt, item);
  const account = ctx.actor.userId ?? ctx.organizationId;
  const release = takeSlot("concurrent_prompts", account);
  if (!release)
    throw new ServiceError("throttled", {
      detail: "The model is still answering earlier questions of yours.",
      retryAfterSeconds: 1,
    });
  try {
    // Only what gets a slot counts: a page asks again at once when the model is slow.
    const { retryAfterSeconds: seconds } = await countRequest("prompt", account);
    if (seconds !== null) throw throttled(seconds);
    const asked = { prompt, labels, request_id };
    const { annotations, clipped, exchange } = await predict(integration, item, "interactive", asked);
    const error =
      annotations.length === 0 && clipped > 0 ? "All that the model answered is outside of the picture." : null;
    return { request_id, error, predictions: annotations, duration_ms: exchange.duration_ms };
  } catch (error) {
    if (!(error instanceof PredictionFailed)) throw error;
    return { request_id, error: error.message, predictions: [], duration_ms: error.exchange.duration_ms };
  } finally {
    release();
  }
}
