import { z } from "zod";
import { listCorners } from "@/domain/annotations/rotated-box";
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
const maxPoints = 64;
/** A larger result is not drawn over small pictures. */
export const maxShapeBytes = 256 * 1024;

interface ItemShape {
  label: string;
  /** The colour that the project gives the label; null where it gives none. */
  color: string | null;
  closed: boolean;
  /** In pixels of the picture, from its top left. */
  points: [number, number][];
}

interface ItemShapes {
  uid: string;
  shapes: ItemShape[];
}

const Points = z.array(z.tuple([z.number(), z.number()]));
const Box = z.object({
  x: z.number(),
  y: z.number(),
  width: z.number(),
  height: z.number(),
  rotation: z.number().optional(),
});

/** Fewer points of a line, evenly, with its first and last one. */
function thinOut(points: [number, number][]): [number, number][] {
  if (points.length <= maxPoints) return points;
  const step = (points.length - 1) / (maxPoints - 1);
  return Array.from({ length: maxPoints }, (_, at) => points[Math.round(at * step)] ?? [0, 0]);
}

type Stored = Pick<z.output<typeof StoredAnnotation>, "label" | "type" | "coordinates">;

/** What an annotation looks like on a flat picture; null for what is not on one, such as a cuboid. */
export function toShape({ label, type, coordinates }: Stored): Omit<ItemShape, "color"> | null {
  if (type === "bbox") {
    const box = Box.safeParse(coordinates);
    if (!box.success) return null;
    return { label, closed: true, points: listCorners(box.data) };
  }
  if (type !== "polygon" && type !== "polyline") return null;
  const points = Points.safeParse(coordinates.points);
  return points.success ? { label, closed: type === "polygon", points: thinOut(points.data) } : null;
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
          const shape = toShape(annotation);
          return shape ? { ...shape, color: colours.get(shape.label) ?? null } : [];
        }),
    };
  });
}
