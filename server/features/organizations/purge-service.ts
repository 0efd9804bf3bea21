import pMap from "p-map";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query, transaction, type OnDb } from "@/server/platform/db";
import { jobs } from "@/server/platform/jobs/definitions";
import { queueJobs } from "@/server/platform/jobs/graphile";
import type { JobRun } from "@/server/platform/jobs/handler";
import { enqueue, fence, jobState } from "@/server/platform/jobs/queue";
import { arrayOf, int8, jsonbObject, text } from "@/server/platform/rows";
import { objectStore } from "@/server/platform/storage/current";
import { bucketPrefix, inBucket } from "@/server/platform/storage/keys";
import { betweenBackups } from "@/server/platform/storage/removal";
import { storeConcurrency } from "@/server/platform/storage/store";

/** Rows that one transaction deletes at most, without those that hang on them. */
export const batchSizes = { small: 1_000, withFiles: 20 };

/** How many rows of each table were deleted, and the `bytes` of their files. */
export type Freed = Record<string, number>;

const due = (organizationId: string) => Prisma.sql`uid = ${organizationId} and deletes_at <= now()`;

const jobKey = (organizationId: string): string => `organizations.delete:${organizationId}`;

/** Queues the deletion of every organization whose time has come. Returns how many. */
export async function sweepDeletions(): Promise<number> {
  const organizations = await query(
    { db: prisma },
    { uid: text },
    Prisma.sql`select uid from organizations where deletes_at <= now() order by deletes_at limit 100`,
  );
  let queued = 0;
  for (const { uid } of organizations) {
    await transaction({ db: prisma }, async (tx) => {
      const key = jobKey(uid);
      if ((await jobState(tx, key)) === "open") return;
      await enqueue(tx, jobs.deleteOrganization, { organizationId: uid }, { key });
      queued++;
    });
  }
  return queued;
}

/** Where an organization's rows of a table are; what hangs on them by a foreign key goes with them. */
interface Step {
  table: string;
  /** The `from` and `where` of a select over the table as `t`. */
  rows: (organizationId: string) => Prisma.Sql;
  /** The column with the size of its files. */
  bytes?: "size_bytes";
}

const own = (table: string): Step => ({
  table,
  rows: (id) => Prisma.sql`${Prisma.raw(table)} t where t.organization_id = ${id}`,
});

/** Rows of a table that name the object of the organization which they belong to. */
const ofParent = (table: string, column: string, parent: string): Step => ({
  table,
  rows: (id) => Prisma.sql`${Prisma.raw(table)} t join ${Prisma.raw(parent)} p on p.uid = t.${Prisma.raw(column)}
    where p.organization_id = ${id}`,
});

/**
 * Every table that may be large, those that hang on others first, so that no statement deletes an unlimited number of
 * rows. The rest, and what was written meanwhile, goes with the organization.
 */
const steps: readonly Step[] = [
  own("webhook_deliveries"),
  own("events"),
  ofParent("rule_hits", "rule_id", "rules"),
  ofParent("rule_evaluations", "rule_id", "rules"),
  ofParent("agent_executions", "agent_id", "agents"),
  ofParent("notifications", "channel_id", "channels"),
  own("alert_captures"),
  own("alerts"),
  own("rule_runs"),
  ofParent("model_predictions", "run_id", "model_runs"),
  ofParent("model_failures", "run_id", "model_runs"),
  own("model_runs"),
  own("annotation_imports"),
  own("tasks"),
  own("work_batches"),
  ofParent("bulk_edit_items", "edit_id", "bulk_edits"),
  own("bulk_edits"),
  { ...ofParent("items", "dataset_id", "datasets"), bytes: "size_bytes" },
  {
    table: "stored_files",
    rows: (id) => Prisma.sql`stored_files t join upload_sessions s on s.uid = t.session_id
      join datasets d on d.uid = s.dataset_id where d.organization_id = ${id}`,
  },
  ofParent("sequences", "dataset_id", "datasets"),
  own("slices"),
  { ...own("exports"), bytes: "size_bytes" },
  ofParent("device_status_changes", "device_id", "devices"),
  ofParent("device_firmware_changes", "device_id", "devices"),
  own("devices"),
  own("saved_views"),
  own("saved_queries"),
  own("layout_uses"),
  own("layouts"),
  own("message_definitions"),
  { ...own("robot_descriptions"), bytes: "size_bytes" },
  own("audit_entries"),
];

/** What has files below a prefix of its own, with the prefixes of its uploads. These are removed before their rows. */
const recordings: Step = { ...own("recordings"), bytes: "size_bytes" };
const datasets: Step = own("datasets");

/** The members of `freed` after a batch. */
function add(freed: Record<string, unknown>, table: string, { rows, bytes }: { rows: bigint; bytes: bigint }): Freed {
  const of = (name: string): number => Number(freed[name] ?? 0);
  return {
    ...(freed as Freed),
    ...(rows > 0n && { [table]: of(table) + Number(rows) }),
    ...(bytes > 0n && { bytes: of("bytes") + Number(bytes) }),
  };
}

/**
 * Deletes one batch of a table and counts it in the same transaction, so that a killed worker neither loses nor repeats
 * a count. Resolves to the number of rows.
 */
async function deleteBatch(organizationId: string, { table, rows, bytes }: Step, limit: number): Promise<number> {
  return transaction({ db: prisma } satisfies OnDb, async (tx) => {
    const [organization] = await query(
      tx,
      { freed: jsonbObject },
      Prisma.sql`select freed from organizations where ${due(organizationId)} for no key update`,
    );
    if (!organization) throw new Error("the organization is not to be deleted any more");
    const size = bytes ? Prisma.raw(bytes) : Prisma.sql`0::int8`;
    const [gone] = await query(
      tx,
      { rows: int8, bytes: int8 },
      Prisma.sql`with gone as (
          delete from ${Prisma.raw(table)} where ctid = any(array(select t.ctid from ${rows(organizationId)} limit ${limit}::int))
          returning ${size} as bytes)
        select count(*) as rows, coalesce(sum(bytes), 0)::int8 as bytes from gone`,
    );
    if (!gone || gone.rows === 0n) return 0;
    const freed = JSON.stringify(add(organization.freed, table, gone));
    await execute(tx, Prisma.sql`update organizations set freed = ${freed}::jsonb where uid = ${organizationId}`);
    return Number(gone.rows);
  });
}

/** One run of the job. */
interface Purge {
  organizationId: string;
  run: JobRun;
  /** Buckets that failed in the last attempt, whose files stay. */
  unreachable: Set<string>;
}

async function deleteAll({ organizationId, run }: Purge, step: Step): Promise<void> {
  while ((await deleteBatch(organizationId, step, batchSizes.small)) > 0) run.signal.throwIfAborted();
}

/**
 * Removes files below prefixes. In the last attempt those in a bucket that refuses or cannot be reached stay there,
 * which the log says.
 */
async function removeFiles({ organizationId, run, unreachable }: Purge, prefixes: readonly string[]): Promise<void> {
  const remove = async (prefix: string): Promise<void> => {
    run.signal.throwIfAborted();
    const bucket = inBucket(prefix)?.configUid;
    if (bucket !== undefined && unreachable.has(bucket)) return;
    try {
      await objectStore().deletePrefix(prefix);
    } catch (error) {
      if (!run.lastAttempt || bucket === undefined) throw error;
      unreachable.add(bucket);
      run.log.error({ err: error, organizationId, bucket }, "files of a deleted organization stay in its bucket");
    }
  };
  await betweenBackups(() => pMap(prefixes, remove, { concurrency: storeConcurrency }).then(() => {}));
}

/** Deletes recordings or datasets in batches: first the files of a batch, then its rows. */
async function deleteWithFiles(purge: Purge, step: Step, column: "recording_id" | "dataset_id"): Promise<void> {
  const { organizationId, run } = purge;
  const [table, owner] = [Prisma.raw(step.table), Prisma.raw(column)];
  for (;;) {
    const [batch] = await query(
      { db: prisma },
      { uids: arrayOf(text), prefixes: arrayOf(text) },
      Prisma.sql`with batch as (select t.uid from ${table} t
          where t.organization_id = ${organizationId} order by t.uid limit ${batchSizes.withFiles}::int)
        select array(select uid from batch) as uids, array(select distinct s.prefix from batch
          join upload_sessions s on s.${owner} = batch.uid) as prefixes`,
    );
    if (!batch || batch.uids.length === 0) return;
    await removeFiles(purge, batch.prefixes);
    const rows = (): Prisma.Sql => Prisma.sql`${table} t where t.uid = any(${batch.uids}::text[])`;
    await deleteBatch(organizationId, { ...step, rows }, batch.uids.length);
    run.signal.throwIfAborted();
  }
}

/** The prefixes of everything that an organization has in its stores. */
async function listPrefixes(organizationId: string): Promise<string[]> {
  const configs = await prisma.storageConfig.findMany({ where: { organizationId }, select: { uid: true } });
  const stores = ["", ...configs.map(({ uid }) => bucketPrefix(uid))];
  return [
    `organizations/${organizationId}/`,
    `alert-captures/${organizationId}/`,
    `filmstrips/${organizationId}/`,
    `robot-descriptions/${organizationId}/`,
    `annotation-imports/${organizationId}/`,
    ...stores.flatMap((store) =>
      ["recordings", "datasets", "exports"].map((kind) => `${store}${kind}/${organizationId}/`),
    ),
  ];
}

/** Removes the waiting jobs of an organization, which would find nothing. */
const removeJobs = (organizationId: string): Promise<number> =>
  execute(
    { db: prisma },
    Prisma.sql`select graphile_worker.complete_jobs(array(select j.id from ${Prisma.raw(queueJobs)} j
      where j.payload->>'organizationId' = ${organizationId} and j.locked_by is null))`,
  );

/**
 * Deletes the rows and files of an organization whose time has come, in batches, so that neither memory nor locks grow
 * with it; another attempt continues. Does nothing when the deletion was taken back. Resolves to what was freed
 * altogether, null for nothing.
 */
export async function purgeOrganization(organizationId: string, run: JobRun): Promise<Freed | null> {
  const isDue = async () =>
    (await query({ db: prisma }, { uid: text }, Prisma.sql`select uid from organizations where ${due(organizationId)}`))
      .length > 0;
  if (!(await isDue())) return null;
  await removeJobs(organizationId);
  const purge: Purge = { organizationId, run, unreachable: new Set() };
  for (const step of steps) await deleteAll(purge, step);
  await deleteWithFiles(purge, recordings, "recording_id");
  await deleteWithFiles(purge, datasets, "dataset_id");
  // Copies, thumbnails and exports, and what an interrupted upload left.
  await removeFiles(purge, await listPrefixes(organizationId));
  return transaction({ db: prisma } satisfies OnDb, async (tx) => {
    await fence(tx, run.attempt);
    // A name that is a user's as well stays taken.
    await execute(
      tx,
      Prisma.sql`update name_claims set organization_id = null
        where organization_id = ${organizationId} and user_id is not null`,
    );
    const [gone] = await query(
      tx,
      { freed: jsonbObject },
      Prisma.sql`delete from organizations where ${due(organizationId)} returning freed`,
    );
    return gone ? (gone.freed as Freed) : null;
  });
}
