import type { SplitCounts, SplitPart, SplitShares } from "@/domain/exports/schema";
import { isArchived, type HeldShapes } from "@/server/features/exports/held-queries";
import {
  type SelectedDataset,
  type SelectedItem,
  splitHashes,
  type TrainingSelection,
} from "@/server/features/exports/selection-queries";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query } from "@/server/platform/db";
import { int4, int8 } from "@/server/platform/rows";

/** Hashes are below this. */
const hashLimit = 2 ** 48;

/**
 * Which picture is in which part: a hash below `val` is in train, one below `test` in val, and others in test. So a
 * group stays in its part when others are added, except where a part would be empty without it.
 */
export interface SplitPlan {
  by: SplitCounts["by"];
  val: number;
  test: number;
}

/** The part that holds a picture; without a plan all are in train. */
export function getPart(plan: SplitPlan | null, item: Pick<SelectedItem, "group_hash" | "item_hash">): SplitPart {
  if (plan === null) return "train";
  const { by, val, test } = plan;
  const hash = Number(by === "group" ? item.group_hash : item.item_hash);
  return hash < val ? "train" : hash < test ? "val" : "test";
}

/**
 * How many of `count` hashes, in their order, are in train, and how many in train and val: `natural` ones as far as no
 * wanted part is empty. With two, there is no test besides train and val.
 */
export function placeCuts(
  count: number,
  natural: { val: number; test: number },
  shares: SplitShares,
): { val: number; test: number } {
  const [wantsVal, wantsTest] = [shares.val > 0 ? 1 : 0, shares.test > 0 && count > (shares.val > 0 ? 2 : 1) ? 1 : 0];
  const within = (at: number, least: number, most: number) => Math.min(Math.max(at, least), most);
  const test = wantsTest === 0 ? count : within(natural.test, 1 + wantsVal, count - 1);
  const val = wantsVal === 0 ? test : within(natural.val, 1, test - 1);
  return { val, test };
}

const countRow = {
  groups: int4,
  groups_val: int4,
  groups_test: int4,
  items: int4,
  items_val: int4,
  items_test: int4,
};

/** Plans the parts of the pictures that an archive of such shapes will hold. The work and its memory are the database's. */
export async function planSplit(
  ctx: Ctx,
  selection: TrainingSelection,
  datasets: readonly SelectedDataset[],
  shapes: HeldShapes,
): Promise<SplitPlan> {
  const { shares } = selection;
  const everything: SplitPlan = { by: "nothing", val: hashLimit, test: hashLimit };
  if (datasets.length === 0) return everything;
  const sum = shares.train + shares.val + shares.test;
  const natural = {
    val: Math.round((hashLimit * shares.train) / sum),
    test: Math.round((hashLimit * (shares.train + shares.val)) / sum),
  };
  const pictures = Prisma.sql`pictures as materialized (
    select ${splitHashes} from items i where (${Prisma.join(
      datasets.map(({ where }) => Prisma.sql`(${where})`),
      " or ",
    )}) and ${isArchived(selection, shapes)})`;
  const [row] = await query(
    ctx,
    countRow,
    Prisma.sql`with ${pictures}
      select g.*, p.* from
        (select count(*)::int as groups, count(*) filter (where group_hash < ${natural.val})::int as groups_val,
          count(*) filter (where group_hash < ${natural.test})::int as groups_test from (select distinct group_hash from pictures) d) g,
        (select count(*)::int as items, count(*) filter (where item_hash < ${natural.val})::int as items_val,
          count(*) filter (where item_hash < ${natural.test})::int as items_test from pictures) p`,
  );
  if (!row || row.items < 2) return everything;
  const by = row.groups < 2 ? "item" : "group";
  const [count, found] =
    by === "group"
      ? [row.groups, { val: row.groups_val, test: row.groups_test }]
      : [row.items, { val: row.items_val, test: row.items_test }];
  const cuts = placeCuts(count, found, shares);
  const hash = by === "group" ? Prisma.sql`group_hash` : Prisma.sql`item_hash`;
  /** The hash from which on the next part begins, where it is not the share's own. */
  const boundary = async (part: "val" | "test"): Promise<number> => {
    if (cuts[part] === count) return hashLimit;
    if (cuts[part] === found[part]) return natural[part];
    const [at] = await query(
      ctx,
      { hash: int8 },
      Prisma.sql`with ${pictures} select distinct ${hash} as hash from pictures order by 1 offset ${cuts[part]}::int limit 1`,
    );
    return Number(at?.hash ?? hashLimit);
  };
  return { by, val: await boundary("val"), test: await boundary("test") };
}
