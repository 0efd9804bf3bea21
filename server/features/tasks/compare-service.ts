import { pairAnnotations, type ShapePair } from "@/domain/annotations/compare";
import type { CompareResults } from "@/domain/tasks/review-schema";
import { getResult } from "@/server/features/tasks/result-service";
import type { Ctx } from "@/server/platform/context";
import { invalid } from "@/server/platform/errors";

/** A pair with the names that the members have on the wire: places among the annotations of `a` and `b`. */
type WirePair = { a_shape: number | null; b_shape: number | null } & Pick<ShapePair, "iou" | "differs">;

/**
 * What became of each shape between two results of a task, in the order of `a`. Throws `not_found`, and `invalid("b")`
 * for a result of another task.
 */
export async function compareResults(ctx: Ctx, { a, b }: CompareResults): Promise<WirePair[]> {
  const [one, other] = [await getResult(ctx, a), await getResult(ctx, b)];
  if (one.task !== other.task) throw invalid("b", "This is a result of another task.");
  return pairAnnotations(one.annotations, other.annotations).map(({ a: a_shape, b: b_shape, ...pair }) => ({
    a_shape,
    b_shape,
    ...pair,
  }));
}
