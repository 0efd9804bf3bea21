import { z } from "zod";
import { draftLimits, DraftShape, type DraftOp, type SaveDraft } from "@/domain/annotations/draft-schema";
import { jsonSize } from "@/domain/fields";
import type { DraftResource, SavedDraft } from "@/server/features/tasks/labelling-resource";
import { lockForSaving } from "@/server/features/tasks/lease-service";
import type { TaskResource } from "@/server/features/tasks/resource";
import { getTask } from "@/server/features/tasks/service";
import { databaseNow } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, transaction } from "@/server/platform/db";
import { conflict, invalid } from "@/server/platform/errors";
import { int4, int8, jsonb, nullable, text, timestamptz } from "@/server/platform/rows";

/** What is known of each client: its last change, the version which that made, and since when nobody else changed any. */
const Clients = z.record(z.string(), z.object({ n: z.int(), version: z.int(), since: z.int() }));
type Clients = z.output<typeof Clients>;

/** The clients of a draft that are remembered: those that changed it last. */
const maxClients = 100;

const Sizes = z.record(z.string(), z.int());

interface StoredDraft {
  version: number;
  shapeCount: number;
  bytes: number;
  clients: Clients;
}
const noDraft: StoredDraft = { version: 0, shapeCount: 0, bytes: 0, clients: {} };

const wholeShape = Prisma.sql`s.body || jsonb_build_object('id', s.id, 'label_id', s.label_id, 'position', s.position)`;

/** The draft of a task that the caller sees; null if there is none. */
export async function findDraft(ctx: Ctx, uid: string): Promise<DraftResource | null> {
  const of = Prisma.sql`d.task_id = ${uid} and d.organization_id = ${ctx.organizationId}`;
  const [draft] = await query(
    ctx,
    { version: int8, by: nullable(text), updated_at: timestamptz },
    Prisma.sql`select d.version, u.username as by, d.updated_at from task_drafts d left join users u on u.uid = d.by_user where ${of}`,
  );
  if (!draft) return null;
  const shapes = await query(
    ctx,
    { shape: jsonb(DraftShape) },
    Prisma.sql`select ${wholeShape} as shape from draft_shapes s join task_drafts d on d.task_id = s.task_id
      where ${of} order by s.position, s.id`,
  );
  return {
    version: Number(draft.version),
    by: draft.by,
    shapes: shapes.map(({ shape }) => shape),
    updated_at: draft.updated_at.toISOString(),
  };
}

/** The draft of a task, of version 0 if there is none. Throws `not_found`. */
export async function getDraft(ctx: Ctx, uid: string): Promise<DraftResource> {
  await getTask(ctx, uid);
  return (await findDraft(ctx, uid)) ?? { version: 0, by: null, shapes: [], updated_at: null };
}

/** The draft of a locked task without its shapes, and the sizes of those that are named, by id. */
export async function readDraft(tx: Ctx, uid: string, ids: readonly string[] = []) {
  const [row] = await query(
    tx,
    { version: int8, shape_count: int4, bytes: int4, clients: jsonb(Clients), sizes: jsonb(Sizes) },
    Prisma.sql`select d.version, d.shape_count, d.bytes, d.clients, coalesce((select jsonb_object_agg(s.id, s.bytes)
        from draft_shapes s where s.task_id = d.task_id and s.id = any(${ids})), '{}') as sizes
      from task_drafts d where d.task_id = ${uid} and d.organization_id = ${tx.organizationId}`,
  );
  if (!row) return { draft: noDraft, sizes: new Map<string, number>() };
  const { version, shape_count: shapeCount, sizes, ...draft } = row;
  return { draft: { ...draft, version: Number(version), shapeCount }, sizes: new Map(Object.entries(sizes)) };
}

/** What changes of one shape in a row come to. */
type Change = { shape: DraftShape } | { drop: true } | { position: number };

/** The changes by shape, each once. */
function joinOps(ops: readonly DraftOp[]): Map<string, Change> {
  const changes = new Map<string, Change>();
  for (const op of ops) {
    const before = changes.get(op.id);
    if (op.op === "put") changes.set(op.id, { shape: op.shape });
    else if (op.op === "drop") changes.set(op.id, { drop: true });
    else if (before && "shape" in before) before.shape = { ...before.shape, position: op.position };
    else if (!before || "position" in before) changes.set(op.id, { position: op.position });
  }
  return changes;
}

const toBody = ({ type, coordinates, attributes }: DraftShape) => JSON.stringify({ type, coordinates, attributes });

/** Without those that changed a draft longest ago, if there are too many. */
const limitClients = (clients: Clients): Clients =>
  Object.fromEntries(
    Object.entries(clients)
      .toSorted(([, a], [, b]) => b.version - a.version)
      .slice(0, maxClients),
  );

/** SQL: writes the draft of a locked task itself. */
const writing = (tx: Ctx, uid: string, { version, shapeCount, bytes, clients }: StoredDraft): Prisma.Sql =>
  Prisma.sql`insert into task_drafts (task_id, organization_id, version, shape_count, bytes, by_user, clients, updated_at)
    values (${uid}, ${tx.organizationId}, ${version}, ${shapeCount}, ${bytes}, ${tx.actor.userId}, ${JSON.stringify(clients)}::jsonb,
      ${databaseNow()}::timestamptz)
    on conflict (task_id) do update set version = excluded.version, shape_count = excluded.shape_count, bytes = excluded.bytes,
      by_user = excluded.by_user, clients = excluded.clients, updated_at = excluded.updated_at`;

interface SizedShape {
  shape: DraftShape;
  body: string;
  bytes: number;
}

const toSized = (shape: DraftShape): SizedShape => ({ shape, body: toBody(shape), bytes: jsonSize(shape) });

/** SQL: writes shapes of a draft `d`, new or in place of those with their ids. */
function putting(
  tx: Ctx,
  { project }: Pick<TaskResource, "project">,
  version: number,
  shapes: readonly SizedShape[],
): Prisma.Sql {
  const column = <T>(of: (each: SizedShape) => T): T[] => shapes.map(of);
  return Prisma.sql`insert into draft_shapes (task_id, id, project_id, label_id, position, body, bytes, by_user, version)
    select d.task_id, v.id, ${project}, v.label_id, v.position, v.body::jsonb, v.bytes, ${tx.actor.userId}, ${version}
    from d, unnest(${column(({ shape }) => shape.id)}::text[], ${column(({ shape }) => shape.label_id)}::text[],
      ${column(({ shape }) => shape.position)}::float8[], ${column(({ body }) => body)}::text[],
      ${column(({ bytes }) => bytes)}::int4[]) as v(id, label_id, position, body, bytes)
    where d.organization_id = ${tx.organizationId}
    on conflict (task_id, id) do update set label_id = excluded.label_id, position = excluded.position, body = excluded.body,
      bytes = excluded.bytes, by_user = excluded.by_user, version = excluded.version`;
}

/** Replaces the draft of a locked task by one of those shapes, begun from a rejected result or, without one, by a model. */
export async function beginDraft(
  tx: Ctx,
  task: Pick<TaskResource, "uid" | "project">,
  shapes: readonly DraftShape[],
  from: string | null,
): Promise<void> {
  const version = (await readDraft(tx, task.uid)).draft.version + 1;
  const sized = shapes.map(toSized);
  const bytes = sized.reduce((sum, shape) => sum + shape.bytes, 0);
  const draft = { version, shapeCount: shapes.length, bytes, clients: {} };
  await execute(
    tx,
    Prisma.sql`with d as (${writing(tx, task.uid, draft)} returning task_id, organization_id)
      delete from draft_shapes s using d where s.task_id = d.task_id`,
  );
  await execute(
    tx,
    Prisma.sql`with d as (update task_drafts set from_result = ${from}
        where task_id = ${task.uid} and organization_id = ${tx.organizationId} returning task_id, organization_id)
      ${putting(tx, task, version, sized)}`,
  );
}

/**
 * Applies changes to the shapes of a locked draft with `also`, all in one statement. Throws `invalid("ops")` where it would
 * be too large.
 */
async function applyChanges(
  tx: Ctx,
  task: TaskResource,
  { draft, sizes }: Awaited<ReturnType<typeof readDraft>>,
  changes: Map<string, Change>,
  also: Prisma.Sql | null,
): Promise<void> {
  const put: SizedShape[] = [];
  const dropped: string[] = [];
  const placed: { id: string; position: number }[] = [];
  const { version } = draft;
  let { shapeCount, bytes } = draft;
  for (const [id, change] of changes) {
    const size = sizes.get(id);
    if ("shape" in change) {
      const shape = toSized(change.shape);
      put.push(shape);
      shapeCount += size === undefined ? 1 : 0;
      bytes += shape.bytes - (size ?? 0);
    } else if (size === undefined) continue;
    else if ("drop" in change) {
      dropped.push(id);
      shapeCount -= 1;
      bytes -= size;
    } else placed.push({ id, position: change.position });
  }
  if (shapeCount > draftLimits.shapes) throw invalid("ops", `A draft has at most ${draftLimits.shapes} shapes.`);
  if (bytes > draftLimits.bytes) throw invalid("ops", `A draft has at most ${draftLimits.bytes} bytes.`);
  const parts = [
    Prisma.sql`d as (${writing(tx, task.uid, { ...draft, shapeCount, bytes })} returning task_id, organization_id)`,
  ];
  if (also) parts.push(Prisma.sql`also as (${also})`);
  if (dropped.length > 0)
    parts.push(
      Prisma.sql`dropped as (delete from draft_shapes s using d where s.task_id = d.task_id and s.id = any(${dropped}))`,
    );
  if (placed.length > 0)
    parts.push(
      Prisma.sql`placed as (update draft_shapes s set position = v.position, version = ${version}
        from d, unnest(${placed.map(({ id }) => id)}::text[], ${placed.map(({ position }) => position)}::float8[]) as v(id, position)
        where s.task_id = d.task_id and s.id = v.id)`,
    );
  await execute(tx, Prisma.sql`with ${Prisma.join(parts, ", ")} ${putting(tx, task, version, put)}`);
}

/** The refusal of who has not seen the draft as it is. */
export const draftMoved = (version: number) =>
  conflict("Somebody else changed this draft.", { code: "draft_moved", version });

/**
 * Applies those changes of a client that the draft does not have, and renews the lease. Throws `not_found`, `conflict` with
 * the code `lease_lost`, or `draft_moved` and the version when others changed it after `base`, and `invalid("ops")`.
 */
export async function saveDraft(
  ctx: Ctx,
  uid: string,
  { lease, client, n, base, ops, seconds }: SaveDraft,
): Promise<SavedDraft> {
  return transaction(ctx, async (tx) => {
    // What follows is read after the lock was given: a statement that waits for one sees other rows as they were before.
    const { task, renewal } = await lockForSaving(tx, uid, lease, seconds);
    const { draft, sizes } = await readDraft(
      tx,
      uid,
      ops.map(({ id }) => id),
    );
    const { version } = draft;
    const known = draft.clients[client] ?? { n: 0, version, since: version };
    const fresh = ops.slice(Math.max(0, known.n - (n - ops.length)));
    if (fresh.length === 0) {
      if (renewal) await execute(tx, renewal);
      return { version: known.version, n: known.n };
    }
    // Its own changes after `base`, whose answers it has not received, are no changes of others.
    const since = known.version === version ? known.since : version;
    if (base < since || base > version) throw draftMoved(version);
    const next = version + 1;
    const clients = limitClients({ ...draft.clients, [client]: { n, version: next, since } });
    await applyChanges(tx, task, { draft: { ...draft, version: next, clients }, sizes }, joinOps(fresh), renewal);
    return { version: next, n };
  });
}
