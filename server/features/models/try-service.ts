import type { TryModel } from "@/domain/models/schema";
import { findIntegration } from "@/server/features/models/integration-service";
import { predict } from "@/server/features/models/predict";
import { PredictionFailed } from "@/server/features/models/provider-request";
import type { TryResult } from "@/server/features/models/resource";
import { getItemToPredict } from "@/server/features/models/run-service";
import { getModel } from "@/server/features/models/service";
import type { Ctx } from "@/server/platform/context";
import { forbidden, notFound } from "@/server/platform/errors";

/**
 * Asks a model, also a paused one, about an item and shows everything that was sent and that came back; what is wrong with the
 * answer is in `error`. Stores nothing. Throws `not_found`, `forbidden`, `invalid("dataset_item_uid")`.
 */
export async function tryModel(ctx: Ctx, uid: string, { dataset_item_uid: item }: TryModel): Promise<TryResult> {
  const integration = await findIntegration(ctx, uid, "paused");
  if (!integration) throw notFound();
  const model = await getModel(ctx, integration.model_id);
  // What is sent to the address of a public model is for those who made it.
  if (model.is_public && integration.provider === "http" && !ctx.permissions.staff) throw forbidden();
  const found = await getItemToPredict(ctx, item);
  try {
    const { annotations, leftOut, clipped, exchange } = await predict(integration, found, "interactive");
    return { ...exchange, error: null, predictions: annotations, left_out: leftOut, clipped_count: clipped };
  } catch (error) {
    if (!(error instanceof PredictionFailed)) throw error;
    return { ...error.exchange, error: error.message, predictions: [], left_out: {}, clipped_count: 0 };
  }
}
