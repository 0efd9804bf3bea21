import {
  isExportedResult,
  isLabelled,
  isPicture,
  type ExportSelection,
  type SelectedDataset,
  type TrainingSelection,
} from "@/server/features/exports/selection-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int4 } from "@/server/platform/rows";

const number = (member: string): Prisma.Sql => Prisma.raw(`(${member})::float8`);

/** What a training set holds: the bounds of areas, the areas themselves, or skeletons. */
export type HeldShapes = "bounds" | "areas" | "points";

/** Left, top, right and bottom as `shapes` computes them, of the coordinates `box`, of the corners `points`, and of a mask's own box. */
const boxBounds = Prisma.sql`select x - grow_x, y - grow_y, x + w + grow_x, y + h + grow_y from
  (select ${number("box ->> 'x'")} as x, ${number("box ->> 'y'")} as y, ${number("box ->> 'width'")} as w,
    ${number("box ->> 'height'")} as h, radians(coalesce(${number("box ->> 'rotation'")}, 0)) as turn) b
  cross join lateral (select (abs(w * cos(turn)) + abs(h * sin(turn)) - w) / 2 as grow_x,
    (abs(w * sin(turn)) + abs(h * cos(turn)) - h) / 2 as grow_y) g`;
const pointBounds = Prisma.sql`select min(x), min(y), max(x), max(y) from
  (select ${number("p ->> 0")} as x, ${number("p ->> 1")} as y from jsonb_array_elements(points) p) corners`;
const maskBounds = Prisma.sql`select ${number("mask ->> 0")}, ${number("mask ->> 1")},
  ${number("mask ->> 0")} + ${number("mask ->> 2")}, ${number("mask ->> 1")} + ${number("mask ->> 3")}`;

/** True for most results that `isHeld` holds for, in a tenth of its time. */
const hasPlainBox = Prisma.sql`jsonb_path_exists(r.annotations, '$[*] ? (@.type == "bbox").coordinates ? (@.width > 0
  && @.height > 0 && @.x >= 0 && @.x < $width && @.y >= 0 && @.y < $height && !exists(@.rotation))',
  jsonb_build_object('width', i.metadata -> 'width', 'height', i.metadata -> 'height'))`;

/** The types of annotations whose bounds count, by how they are computed. */
const held: Readonly<
  Record<HeldShapes, { box: readonly string[]; points: readonly string[]; mask: readonly string[] }>
> = {
  bounds: { box: ["bbox"], points: ["polygon"], mask: ["mask"] },
  areas: { box: [], points: ["polygon"], mask: ["mask"] },
  points: { box: [], points: ["keypoints"], mask: [] },
};

/**
 * SQL condition for `results r` with a shape that a training set can hold and of which a part is within the picture
 * `items i`, or that say that there is nothing. Otherwise a part of a training set could have only pictures that are
 * left out.
 */
function isHeld(shapes: HeldShapes): Prisma.Sql {
  const { box, points, mask } = held[shapes];
  return Prisma.sql`(r.annotations = '[]' ${box.length > 0 ? Prisma.sql`or ${hasPlainBox}` : Prisma.empty} or exists (
  select 1 from jsonb_array_elements(r.annotations) a
    cross join lateral (select case when a ->> 'type' = any(${[...box]}::text[]) then a -> 'coordinates' end as box,
      case when a ->> 'type' = any(${[...points]}::text[]) then a #> '{coordinates,points}' end as points,
      case when a ->> 'type' = any(${[...mask]}::text[]) then a #> '{coordinates,box}' end as mask) shape
    cross join lateral (${boxBounds} union all ${pointBounds} union all ${maskBounds}) bounds (x, y, right_x, bottom_y)
  where right_x > greatest(x, 0) and x < ${number("i.metadata ->> 'width'")}
    and bottom_y > greatest(y, 0) and y < ${number("i.metadata ->> 'height'")}))`;
}

/** SQL condition for `items i` that a training set will hold. */
export const isArchived = (
  selection: TrainingSelection,
  shapes: HeldShapes,
): Prisma.Sql => Prisma.sql`${isPicture} and (
  exists (select 1 from results r where r.item_id = i.uid and ${isExportedResult(selection)}
    ${selection.background ? Prisma.empty : Prisma.sql`and ${isHeld(shapes)}`})
  ${selection.background ? Prisma.sql`or not ${isLabelled(selection)}` : Prisma.empty})`;

/** The largest number of points that a result to export gives a skeleton; 0 for none. */
export async function countPoints(
  ctx: Ctx,
  selection: ExportSelection,
  datasets: readonly SelectedDataset[],
): Promise<number> {
  let most = 0;
  for (const { where } of datasets) {
    const [row] = await query(
      ctx,
      { points: int4 },
      Prisma.sql`select coalesce(max(jsonb_array_length(a #> '{coordinates,points}')), 0)::int as points
        from items i join results r on r.item_id = i.uid
          cross join lateral jsonb_path_query(r.annotations, '$[*] ? (@.type == "keypoints")') a
        where ${where} and ${isExportedResult(selection)}`,
    );
    most = Math.max(most, row?.points ?? 0);
  }
  return most;
}
