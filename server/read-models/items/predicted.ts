import { z } from "zod";
import { toFlatShape, type FlatShape } from "@/domain/annotations/flat-shape";
import type { ItemPredictedQuery } from "@/domain/items/grid-schema";
import { getDatasetByUid } from "@/server/features/datasets/service";
import { PredictionNode } from "@/server/features/models/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { jsonb, text } from "@/server/platform/rows";
import { maxShapeBytes, maxShapes } from "@/server/read-models/items/shapes";

/** What a run predicted for an item. */
export interface Predicted {
  uid: string;
  /**
   * The label of the prediction that the model was surest of, else of the first; null for an item in which it found
   * nothing.
   */
  label: string | null;
  /** How sure it was of that, 0 to 1. */
  score: number | null;
  shapes: FlatShape[];
}

const Data = z.object({
  type: z.string().catch(""),
  coordinates: z.record(z.string(), z.unknown()).catch({}),
  attributes: z.object({ confidence: z.number().optional(), score: z.number().optional() }).catch({}),
});

interface Mark {
  label: string;
  score: number | null;
  type: string;
  coordinates: Record<string, unknown>;
}

const flatten = (nodes: readonly PredictionNode[]): Mark[] =>
  nodes.flatMap(({ annotation, children }) => {
    const { type, coordinates, attributes } = Data.parse(annotation.data);
    const score = attributes.confidence ?? attributes.score ?? null;
    return [{ label: annotation.object, score, type, coordinates }, ...flatten(children)];
  });

/** What a run predicted for items of a dataset, of the first frame of videos. Throws `not_found` for the dataset. */
export async function listPredicted(ctx: Ctx, { dataset, run, uids }: ItemPredictedQuery): Promise<Predicted[]> {
  await getDatasetByUid(ctx, dataset);
  const rows = await sql(
    { uid: text, nodes: jsonb(z.array(PredictionNode)) },
    Prisma.sql`select p.item_id as uid, p.nodes from model_predictions p join model_runs r on r.uid = p.run_id
      where p.run_id = ${run} and p.item_id = any(${uids}) and pg_column_size(p.nodes) <= ${maxShapeBytes}
        and r.dataset_id = ${dataset} and r.organization_id = ${ctx.organizationId}`,
  );
  return rows.map(({ uid, nodes }) => {
    const marks = flatten(nodes);
    const best = marks.reduce<Mark | undefined>(
      (most, mark) => (most === undefined || (mark.score ?? -1) > (most.score ?? -1) ? mark : most),
      undefined,
    );
    return {
      uid,
      label: best?.label ?? null,
      score: best?.score ?? null,
      shapes: marks
        .filter(({ coordinates: { frame = 0 } }) => frame === 0)
        .slice(0, maxShapes)
        .flatMap((mark) => toFlatShape(mark) ?? []),
    };
  });
}
