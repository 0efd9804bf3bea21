import type { CreateIntegration, CreateModel, ModelFilters } from "@/domain/models/schema";
import { audit } from "@/server/features/audit/service";
import type { IntegrationResource, ModelResource } from "@/server/features/models/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { checkReceiver } from "@/server/platform/http-client/http-client";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { bool, type Native, text, timestamptz } from "@/server/platform/rows";
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
const visible = (ctx: Ctx) => Prisma.sql`(m.is_public or m.organization_id = ${ctx.organizationId})`;

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
        Prisma.sql`select ${columns} from models m where ${visible(ctx)} and ${where} order by ${orderBy} limit ${limit}`,
      ),
  });

/** One model the organization may use. Throws `not_found`. */
export async function getModel(ctx: Ctx, uid: string): Promise<ModelResource> {
  const [row] = await query(
    ctx,
    modelRow,
    Prisma.sql`select ${columns} from models m where m.uid = ${uid} and ${visible(ctx)}`,
  );
  if (!row) throw notFound();
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}

const integrationColumns = Prisma.sql`n.uid, n.provider as provider_name, n.config_type as provider_config_type,
  n.config_uid as provider_config_uid, n.name as provider_config_name, n.created_at, n.updated_at`;
const integrationRow = {
  uid: text,
  provider_name: text,
  provider_config_type: text,
  provider_config_uid: text,
  provider_config_name: text,
  created_at: timestamptz,
  updated_at: timestamptz,
};

/** The active integrations of a model, newest first. Throws `not_found`. */
export async function listIntegrations(
  ctx: Ctx,
  modelUid: string,
  page: ModelFilters,
): Promise<Page<IntegrationResource>> {
  await getModel(ctx, modelUid);
  return keysetPage<IntegrationResource>(ctx, {
    name: "model-integrations",
    filters: { modelUid },
    page,
    order: { columns: ["n.uid"], direction: "desc" },
    key: (integration) => [integration.uid],
    fetch: ({ where, orderBy, limit }) =>
      sql(
        integrationRow,
        Prisma.sql`select ${integrationColumns} from model_integrations n
        where n.model_id = ${modelUid} and n.is_active and ${where} order by ${orderBy} limit ${limit}`,
      ),
  });
}

/** The columns of an integration that runs need. */
const usableIntegrationRow = { uid: text, provider: text, url: text, model_name: text };
export type UsableIntegration = Native<typeof usableIntegrationRow>;

/** An active integration of a model the organization may use; null when there is none. */
export async function findIntegration(ctx: Ctx, uid: string): Promise<UsableIntegration | null> {
  const [row] = await query(
    ctx,
    usableIntegrationRow,
    Prisma.sql`select n.uid, n.provider, n.url, m.name as model_name from model_integrations n join models m on m.uid = n.model_id
      where n.uid = ${uid} and n.is_active and ${visible(ctx)}`,
  );
  return row ?? null;
}

const pipelineRow = { uid: text, name: text, model_name: text };
export type Pipeline = Native<typeof pipelineRow>;

/** The active integrations of every model the organization may use, ordered by model name; at most 200. */
export const listPipelines = (ctx: Ctx): Promise<Pipeline[]> =>
  query(
    ctx,
    pipelineRow,
    Prisma.sql`select n.uid, n.name, m.name as model_name from model_integrations n join models m on m.uid = n.model_id
      where n.is_active and ${visible(ctx)} order by m.name, n.uid limit 200`,
  );

/** Creates a model: public for every organization, else for the caller's own. Staff only. */
export async function createModel(ctx: Ctx, input: CreateModel): Promise<ModelResource> {
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
    return getModel(tx, uid);
  });
}

/** Adds an integration to a model. Staff only. Throws `not_found`, `invalid("url")`. */
export async function createIntegration(
  ctx: Ctx,
  modelUid: string,
  input: CreateIntegration,
): Promise<IntegrationResource> {
  return transaction(ctx, async (tx) => {
    const model = await getModel(tx, modelUid);
    if (input.provider === "http") {
      const checked = await checkReceiver(input.url);
      if (!checked.ok) throw invalid("url", checked.message);
    }
    const uid = uuidv7();
    await tx.db.integration.create({
      data: {
        uid,
        modelId: modelUid,
        configUid: uuidv7(),
        provider: input.provider,
        name: input.name,
        configType: input.config_type,
        url: input.provider === "http" ? input.url : "",
      },
    });
    await audit(tx, {
      action: "integration.created",
      targetType: "model",
      targetId: modelUid,
      targetName: model.name,
      after: { provider: input.provider, name: input.name },
    });
    const [row] = await query(
      tx,
      integrationRow,
      Prisma.sql`select ${integrationColumns} from model_integrations n where n.uid = ${uid}`,
    );
    if (!row) throw notFound();
    return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
  });
}
