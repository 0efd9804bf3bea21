import { z } from "zod";
import { toFlatShape, type FlatShape } from "@/domain/annotations/flat-shape";
import type { ItemShapesQuery } from "@/domain/items/grid-schema";
import { StoredAnnotation } from "@/domain/tasks/schema";
import { getDatasetByUid } from "@/server/features/datasets/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { jsonb, text } from "@/server/platform/rows";

/** What a small picture can show of a result: more would only be a blot. */
export const maxShapes = 64;
/** A larger result is not drawn over small pictures. */
export const maxShapeBytes = 256 * 1024;

interface ItemShape extends FlatShape {
  /** The colour that the project gives the label; null where it gives none. */
  color: string | null;
}

interface ItemShapes {
  uid: string;
  shapes: ItemShape[];
}

const shapeRow = {
  uid: text,
  labels: jsonb(z.array(z.object({ name: z.string(), color: z.string() }))),
  annotations: jsonb(z.array(StoredAnnotation)),
};

/** The shapes of the newest result of each item that is not rejected, of the first frame of videos. Throws `not_found`. */
export async function listShapes(ctx: Ctx, { dataset, uids }: ItemShapesQuery): Promise<ItemShapes[]> {
  await getDatasetByUid(ctx, dataset);
  const rows = await sql(
    shapeRow,
    Prisma.sql`select distinct on (r.item_id) r.item_id as uid, p.labels, r.annotations
      from results r join projects p on p.uid = r.project_id
      where r.item_id = any(${uids}) and r.dataset_id = ${dataset} and r.organization_id = ${ctx.organizationId}
        and r.status <> 'rejected' and coalesce(r.annotation_bytes, 0) <= ${maxShapeBytes}
        and ${isVisible(ctx, "project", Prisma.sql`r.project_id`)}
      order by r.item_id, r.uid desc`,
  );
  return rows.map(({ uid, labels, annotations }) => {
    const colours = new Map(labels.map(({ name, color }) => [name, color]));
    return {
      uid,
      shapes: annotations
        .filter(({ coordinates: { frame = 0 } }) => frame === 0)
        .slice(0, maxShapes)
        .flatMap((annotation) => {
          const shape = toFlatShape(annotation);
          return shape ? { ...shape, color: colours.get(shape.label) ?? null } : [];
        }),
    };
  });
}
