import { itemsChanged } from "@/server/features/datasets/items-changed";
import { addItems, enqueueExamination, type NewItem } from "@/server/features/datasets/upload-service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import type { JobRun } from "@/server/platform/jobs/handler";
import { fence } from "@/server/platform/jobs/queue";
import { announce } from "@/server/platform/realtime/changes";
import { arrayOf, int4, int8, notNull, nullable, text, type Native } from "@/server/platform/rows";

/** Progress is announced at most twice a second. */
const announceMs = 500;
/** Frames are examined, which takes far longer than storing them, from then on: most moments are stored as a whole by then. */
const examineAfterMs = 2_000;

const spanRow = {
  position: int4,
  recording_id: text,
  device_id: text,
  device_name: text,
  alert_id: nullable(text),
  event_id: nullable(text),
  rule_id: nullable(text),
  from_ns: int8,
  to_ns: int8,
  next_ns: nullable(int8),
  topics: notNull(arrayOf(text)),
};
/** A range of a recording that is being extracted. */
export type Span = Native<typeof spanRow>;

/** Ends an extraction whose addition was undone, or whose dataset was deleted. */
export class MomentUndone extends Error {}

/** What becomes of a part of the ranges. */
export interface Group {
  items: NewItem[];
  present: number;
  failed: number;
  /** Why the first of the failed could not become an item. */
  reason: string;
  /** Until where ranges are read, by their positions. */
  reached: Map<number, bigint>;
  /** The positions of the ranges that end with it. */
  ended: number[];
}

/** One attempt to extract an addition: every step is a transaction that another attempt cannot repeat. */
export class Extraction {
  private announcedAt = 0;

  private constructor(
    private readonly ctx: Ctx,
    private readonly run: JobRun,
    readonly uid: string,
    readonly datasetId: string,
    readonly createdById: string | null,
    readonly everyMs: number,
    readonly firstOnly: boolean,
    readonly clip: boolean,
  ) {}

  /** Null for an addition that is finished, undone or gone. */
  static async begin(ctx: Ctx, uid: string, run: JobRun): Promise<Extraction | null> {
    const { organizationId } = ctx;
    const { count } = await ctx.db.moment.updateMany({
      where: { uid, organizationId, finishedAt: null },
      data: { status: "extracting" },
    });
    if (count === 0) return null;
    const row = await ctx.db.moment.findUnique({ where: { uid } });
    if (row === null) return null;
    return new Extraction(ctx, run, uid, row.datasetId, row.createdById, row.everyMs, row.firstOnly, row.clip);
  }

  /** The ranges that are not done. */
  listSpans(): Promise<Span[]> {
    return query(
      this.ctx,
      spanRow,
      Prisma.sql`select s.position, s.recording_id, coalesce(r.device_id, '') as device_id,
          coalesce(d.name, r.device_name, '') as device_name, s.alert_id, s.event_id, s.rule_id, s.from_ns, s.to_ns, s.next_ns, s.topics
        from moment_spans s left join recordings r on r.uid = s.recording_id and r.organization_id = s.organization_id
        left join devices d on d.uid = r.device_id
        where s.moment_id = ${this.uid} and s.organization_id = ${this.ctx.organizationId} and not s.finished order by s.position`,
    );
  }

  /** Makes items of stored files and notes how far the ranges are read. Throws MomentUndone. */
  addGroup({ items, reached, ended, ...counts }: Group): Promise<void> {
    return this.step(async (tx) => {
      if (reached.size > 0) {
        await execute(
          tx,
          Prisma.sql`update moment_spans s set next_ns = r.next_ns
            from unnest(${[...reached.keys()]}::int[], ${[...reached.values()]}::bigint[]) as r(position, next_ns)
            where s.moment_id = ${this.uid} and s.position = r.position`,
        );
      }
      if (ended.length > 0) {
        await tx.db.momentSpan.updateMany({
          where: { momentId: this.uid, position: { in: ended } },
          data: { finished: true },
        });
      }
      await this.count(tx, { added: items.length, ...counts });
      if (items.length > 0) await addItems(tx, this.datasetId, items, examineAfterMs);
    });
  }

  finish(): Promise<void> {
    return this.end("done", "");
  }

  /** Ends it with what was made so far. */
  fail(reason: string): Promise<void> {
    return this.end("failed", reason);
  }

  private end(status: "done" | "failed", reason: string): Promise<void> {
    this.announcedAt = 0;
    return this.step(async (tx) => {
      await tx.db.moment.update({
        where: { uid: this.uid },
        data: { status, finishedAt: databaseNow(), ...(reason !== "" && { error: reason }) },
      });
      await itemsChanged(tx, this.datasetId);
      await enqueueExamination(tx, this.datasetId);
    });
  }

  private async count(
    tx: Ctx,
    { added, present, failed, reason }: Pick<Group, "present" | "failed" | "reason"> & { added: number },
  ): Promise<void> {
    await execute(
      tx,
      Prisma.sql`update moments set added = added + ${added}::int, present = present + ${present}::int,
          failed = failed + ${failed}::int, error = case when error = '' then ${reason} else error end, updated_at = now()
        where uid = ${this.uid}`,
    );
  }

  private async step(work: (tx: Ctx) => Promise<void>): Promise<void> {
    await transaction(this.ctx, async (tx) => {
      await fence(tx, this.run.attempt);
      const locked = await query(
        tx,
        { uid: text },
        Prisma.sql`select d.uid from datasets d where d.uid = ${this.datasetId}
          and d.organization_id = ${tx.organizationId} for no key update`,
      );
      if (locked.length === 0) throw new MomentUndone();
      const open = await query(
        tx,
        { uid: text },
        Prisma.sql`select uid from moments where uid = ${this.uid} and finished_at is null for no key update`,
      );
      if (open.length === 0) throw new MomentUndone();
      await work(tx);
      if (performance.now() - this.announcedAt < announceMs) return;
      this.announcedAt = performance.now();
      await announce(tx, "dataset", this.datasetId, "updated");
    });
  }
}
