import type { Change } from "@/domain/changes";
import type { CreateModel, ModelFilters, UpdateModel } from "@/domain/models/schema";
import { audit, difference } from "@/server/features/audit/service";
import type { ModelResource } from "@/server/features/models/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql, transaction } from "@/server/platform/db";
import { forbidden, invalid, notFound } from "@/server/platform/errors";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { bool, text, timestamptz } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const columns = Prisma.sql`m.uid, m.name, m.description, m.model_type_name, m.model_type_description, m.is_public, m.created_at, m.updated_at`;
const modelRow = {
  uid: text,
  name: text,
  description: text,
  model_type_name: text,
  model_type_description: text,
  is_public: bool,
  created_at: timestamptz,
  updated_at: timestamptz,
};
/** The `models m` visible to an organization: its own and the public ones. */
export const visibleModel = (ctx: Ctx) => Prisma.sql`(m.is_public or m.organization_id = ${ctx.organizationId})`;

/** Models the organization may use, newest first. */
export const listModels = (ctx: Ctx, page: ModelFilters): Promise<Page<ModelResource>> =>
  keysetPage<ModelResource>(ctx, {
    name: "models",
    filters: {},
    page,
    order: { columns: ["m.uid"], direction: "desc" },
    key: (model) => [model.uid],
    fetch: ({ where, orderBy, limit }) =>
      sql(
        modelRow,
        Prisma.sql`select ${columns} from models m where ${visibleModel(ctx)} and ${where} order by ${orderBy} limit ${limit}`,
      ),
  });

/** One model the organization may use. Throws `not_found`. */
export async function getModel(ctx: Ctx, uid: string, lock: Prisma.Sql = Prisma.empty): Promise<ModelResource> {
  const [row] = await query(
    ctx,
    modelRow,
    Prisma.sql`select ${columns} from models m where m.uid = ${uid} and ${visibleModel(ctx)} ${lock}`,
  );
  if (!row) throw notFound();
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}

/**
 * A model that the caller may change, locked. Throws `not_found`, and `forbidden` for a public one, which staff alone change.
 */
export async function lockOwnModel(tx: Ctx, uid: string): Promise<ModelResource> {
  const model = await getModel(tx, uid, Prisma.sql`for no key update of m`);
  if (model.is_public && !tx.permissions.staff) throw forbidden(publicRefusal);
  return model;
}

const publicRefusal = "Only staff make and change public models.";

/** Open pages of the organization learn that a model changed; those of others read a public one when they load. */
export const announceModel = (tx: Ctx, uid: string, action: Change["action"]): Promise<void> =>
  announce(tx, "model", uid, action);

/** Creates a model of the organization, or a public one. Throws `forbidden` for a public one unless the caller is staff. */
export async function createModel(ctx: Ctx, input: CreateModel): Promise<ModelResource> {
  if (input.is_public && !ctx.permissions.staff) throw forbidden(publicRefusal);
  return transaction(ctx, async (tx) => {
    const uid = uuidv7();
    await tx.db.model.create({
      data: {
        uid,
        organizationId: input.is_public ? null : tx.organizationId,
        name: input.name,
        description: input.description,
        modelTypeName: input.model_type_name,
        modelTypeDescription: input.model_type_description,
        isPublic: input.is_public,
      },
    });
    await audit(tx, { action: "model.created", targetType: "model", targetId: uid, targetName: input.name });
    await announceModel(tx, uid, "created");
    return getModel(tx, uid);
  });
}

/** Changes the given members. Throws `not_found`, `forbidden`. */
export async function updateModel(ctx: Ctx, uid: string, input: UpdateModel): Promise<ModelResource> {
  return transaction(ctx, async (tx) => {
    const before = await lockOwnModel(tx, uid);
    const { name, description, model_type_name: modelTypeName, model_type_description: modelTypeDescription } = input;
    // Prisma does not write a column whose value is undefined.
    await tx.db.model.update({ where: { uid }, data: { name, description, modelTypeName, modelTypeDescription } });
    const after = await getModel(tx, uid);
    const changed = difference({ ...before, updated_at: "" }, { ...after, updated_at: "" });
    if (!changed) return after;
    await audit(tx, {
      action: "model.updated",
      targetType: "model",
      targetId: uid,
      targetName: after.name,
      ...changed,
    });
    await announceModel(tx, uid, "updated");
    return after;
  });
}

/** Throws `invalid("runs")` while a run uses the integrations. */
export async function requireNoRun(tx: Ctx, integrations: Prisma.Sql): Promise<void> {
  const [open] = await query(
    tx,
    { uid: text },
    Prisma.sql`select r.uid from model_runs r where r.integration_id in (${integrations}) and r.completed_at is null
      and r.status in ('pending', 'running') limit 1`,
  );
  if (open) throw invalid("runs", "A run uses it. Stop the run first.");
}

/** Deletes a model with its integrations, their runs and what they predicted. Throws `not_found`, `forbidden`, `invalid("runs")`. */
export async function deleteModel(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const model = await lockOwnModel(tx, uid);
    await requireNoRun(tx, Prisma.sql`select n.uid from model_integrations n where n.model_id = ${uid}`);
    await tx.db.model.delete({ where: { uid } });
    await audit(tx, { action: "model.deleted", targetType: "model", targetId: uid, targetName: model.name });
    await announceModel(tx, uid, "deleted");
  });
}
