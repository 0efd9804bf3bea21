import type { TaskNeighbours } from "@/domain/tasks/queue-schema";
import { isItemVisible } from "@/server/features/membership/assignment-queries";
import { listFramesBeside } from "@/server/features/moments/beside-service";
import type { TaskResource } from "@/server/features/tasks/resource";
import { getTask } from "@/server/features/tasks/service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { isServiceError, notFound } from "@/server/platform/errors";
import { bool, int8, notNull, nullable, text } from "@/server/platform/rows";

/** Frames on each side: each may take a chunk of the recording. */
const framesBeside = 5;

/** A frame of a camera; `item` is the key of what a dataset has of it. */
interface RecordedFrame {
  t_ns: string;
  item: string | null;
}

interface RecordedFrames {
  recording: string;
  topic: string;
  dataset: string;
  /** When the item of the task was taken. */
  item_ns: string;
  /** What the frames lie around. */
  around: RecordedFrame;
  before: RecordedFrame[];
  after: RecordedFrame[];
}

interface Neighbours {
  /** The tasks before and after it in the order of its project. */
  before: string | null;
  after: string | null;
  /** Null unless it was asked for, and where there are none. */
  recorded: RecordedFrames | null;
  /** Why there are no frames of a recording. */
  refusal: string | null;
}

/** The tasks before and after one in its project, and the frames of its recording around its item. Throws `not_found`. */
export async function readTaskNeighbours(ctx: Ctx, { uid, frames, around }: TaskNeighbours): Promise<Neighbours> {
  const task = await getTask(ctx, uid);
  const beside = (is: "<" | ">", direction: "desc" | "asc") =>
    Prisma.sql`(select t.uid from tasks t where t.project_id = ${task.project} and t.organization_id = ${ctx.organizationId}
      and t.uid ${Prisma.raw(is)} ${uid} and ${isItemVisible(ctx, Prisma.sql`t.item_id`, "one by one")}
      order by t.uid ${Prisma.raw(direction)} limit 1)`;
  const [row] = await sql(
    { before: nullable(text), after: nullable(text) },
    Prisma.sql`select ${beside("<", "desc")} as before, ${beside(">", "asc")} as after`,
  );
  const { before = null, after = null } = row ?? {};
  const recorded = frames ? await readFrames(ctx, task, around) : { recorded: null, refusal: null };
  return { before, after, ...recorded };
}

async function readFrames(
  ctx: Ctx,
  { dataset_item: uid }: TaskResource,
  wanted: bigint | undefined,
): Promise<Pick<Neighbours, "recorded" | "refusal">> {
  const [item] = await sql(
    { dataset: text, recording: nullable(text), t_ns: nullable(int8), topic: nullable(text), exists: notNull(bool) },
    Prisma.sql`select i.dataset_id as dataset, i.recording_id as recording, i.t_ns, i.metadata #>> '{source,topic}' as topic,
        exists (select 1 from recordings r where r.uid = i.recording_id and r.organization_id = i.organization_id) as exists
      from items i where i.uid = ${uid} and i.organization_id = ${ctx.organizationId}`,
  );
  if (!item) throw notFound();
  const { dataset, recording, topic, t_ns: itemNs } = item;
  const refuse = (refusal: string) => ({ recorded: null, refusal });
  if (recording === null || topic === null || itemNs === null) return refuse("This item is no frame of a recording.");
  if (!item.exists) return refuse("Its recording was deleted.");
  const at = wanted ?? BigInt(itemNs);
  try {
    const found = await listFramesBeside(ctx, recording, { topic, at, count: framesBeside });
    const keys = await findItems(ctx, { dataset, recording, topic }, [...found.before, at, ...found.after]);
    const toFrame = (time: bigint): RecordedFrame => ({ t_ns: String(time), item: keys.get(String(time)) ?? null });
    return {
      refusal: null,
      recorded: {
        recording,
        topic,
        dataset,
        item_ns: String(itemNs),
        around: toFrame(at),
        before: found.before.map(toFrame),
        after: found.after.map(toFrame),
      },
    };
  } catch (error) {
    if (!isServiceError(error) || error.code === "unavailable") throw error;
    return refuse(error.text());
  }
}

/** The keys of the items that a dataset has of frames, by their times. */
async function findItems(
  ctx: Ctx,
  { dataset, recording, topic }: { dataset: string; recording: string; topic: string },
  times: readonly bigint[],
): Promise<Map<string, string>> {
  const rows = await sql(
    { key: text, t_ns: notNull(int8) },
    Prisma.sql`select i.key, i.t_ns from items i where i.recording_id = ${recording} and i.t_ns = any(${[...times]}::bigint[])
      and i.dataset_id = ${dataset} and i.organization_id = ${ctx.organizationId} and i.metadata #>> '{source,topic}' = ${topic}`,
  );
  return new Map(rows.map(({ key, t_ns }) => [String(t_ns), key]));
}
