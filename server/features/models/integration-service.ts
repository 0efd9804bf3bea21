import { promptKinds } from "@/domain/models/prompt";
import {
  LabelMap,
  type ConnectModel,
  type CreateIntegration,
  type ModelFilters,
  type UpdateIntegration,
} from "@/domain/models/schema";
import { audit, difference } from "@/server/features/audit/service";
import {
  integrationSecretOwner,
  usableIntegrationRow,
  type UsableIntegration,
} from "@/server/features/models/integration-secrets";
import type { IntegrationResource, IntegrationWithSecret, ModelResource } from "@/server/features/models/resource";
import {
  announceModel,
  createModel,
  getModel,
  lockOwnModel,
  requireNoRun,
  visibleModel,
} from "@/server/features/models/service";
import { databaseMs } from "@/server/platform/clock";
import type { Ctx } from "@/server/platform/context";
import { seal } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound } from "@/server/platform/errors";
import { checkReceiver } from "@/server/platform/http-client/http-client";
import { showAddress } from "@/server/platform/http-client/shown-address";
import { newWebhookSecret } from "@/server/platform/http-client/signature";
import { judgeUrl, type UrlVerdict } from "@/server/platform/http-client/url-verdict";
import { keysetPage, type Page } from "@/server/platform/pagination";
import {
  arrayOf,
  bool,
  jsonb,
  type Native,
  notNull,
  oneOf,
  text,
  timestamptz,
  type Wire,
} from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

/** Milliseconds for which the previous secret also signs after a rotation. */
const overlapMs = 24 * 3_600_000;
const noPrompts = "The built-in model takes no prompts.";

const columns = Prisma.sql`n.uid, n.provider as provider_name, n.config_type as provider_config_type,
  n.config_uid as provider_config_uid, n.name as provider_config_name, n.created_at, n.updated_at, n.url, n.is_active,
  n.header_name, n.label_map, n.prompts`;
const integrationRow = {
  uid: text,
  provider_name: text,
  provider_config_type: text,
  provider_config_uid: text,
  provider_config_name: text,
  created_at: timestamptz,
  updated_at: timestamptz,
  url: text,
  is_active: bool,
  header_name: text,
  label_map: jsonb(LabelMap),
  prompts: notNull(arrayOf(oneOf(promptKinds))),
};
type Row = Wire<typeof integrationRow>;

/** An integration as this caller may see it: addresses may hold a token, and those of public models belong to others. */
const show = (ctx: Ctx, row: Row, isPublic: boolean): IntegrationResource => ({
  ...row,
  url: isPublic && !ctx.permissions.staff ? "" : showAddress(ctx, "full", row.url),
});

/** The integrations of a model, newest first; of REST only those that are not paused. Throws `not_found`. */
export async function listIntegrations(
  ctx: Ctx,
  modelUid: string,
  page: ModelFilters,
  which: "active" | "all" = "active",
): Promise<Page<IntegrationResource>> {
  const { is_public: isPublic } = await getModel(ctx, modelUid);
  const found = await keysetPage<Row>(ctx, {
    name: "model-integrations",
    filters: { modelUid, which },
    page,
    order: { columns: ["n.uid"], direction: "desc" },
    key: (integration) => [integration.uid],
    fetch: ({ where, orderBy, limit }) =>
      sql(
        integrationRow,
        Prisma.sql`select ${columns} from model_integrations n
        where n.model_id = ${modelUid} and (n.is_active or ${which === "all"}) and ${where} order by ${orderBy} limit ${limit}`,
      ),
  });
  return { ...found, results: found.results.map((row) => show(ctx, row, isPublic)) };
}

/** An integration of a model the organization may use; null when there is none, and for a paused one unless `also` says so. */
export async function findIntegration(ctx: Ctx, uid: string, also?: "paused"): Promise<UsableIntegration | null> {
  const [row] = await query(
    ctx,
    usableIntegrationRow,
    Prisma.sql`select n.uid, n.model_id, n.provider, n.url, m.name as model_name, n.secret_sealed, n.previous_sealed,
        n.previous_until, n.header_name, n.header_sealed, n.label_map, n.prompts
      from model_integrations n join models m on m.uid = n.model_id
      where n.uid = ${uid} and (n.is_active or ${also === "paused"}) and ${visibleModel(ctx)}`,
  );
  return row ?? null;
}

const pipelineRow = { uid: text, name: text, model_name: text, prompts: notNull(arrayOf(oneOf(promptKinds))) };
export type Pipeline = Native<typeof pipelineRow>;

/** The active integrations of every model the organization may use, ordered by model name; at most 200. */
export const listPipelines = (ctx: Ctx): Promise<Pipeline[]> =>
  query(
    ctx,
    pipelineRow,
    Prisma.sql`select n.uid, n.name, m.name as model_name, n.prompts from model_integrations n join models m on m.uid = n.model_id
      where n.is_active and ${visibleModel(ctx)} order by m.name, n.uid limit 200`,
  );

/** Whether a model could be asked at an address now. */
export const checkModelUrl = (url: string): Promise<UrlVerdict> => judgeUrl(url, "the model cannot be asked");

/** Throws `invalid("url")` for an address that is not allowed. */
async function requireAllowed(url: string): Promise<void> {
  const checked = await checkReceiver(url);
  if (!checked.ok) throw invalid("url", checked.message);
}

/** One integration of a model that was found before. Throws `not_found`. */
async function getIntegration(tx: Ctx, uid: string, isPublic: boolean): Promise<IntegrationResource> {
  const [row] = await query(
    tx,
    integrationRow,
    Prisma.sql`select ${columns} from model_integrations n join models m on m.uid = n.model_id
      where n.uid = ${uid} and ${visibleModel(tx)}`,
  );
  if (!row) throw notFound();
  return show(
    tx,
    { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() },
    isPublic,
  );
}

/**
 * Adds an integration to a model; of an `http` one this response alone contains the secret that signs requests. Throws
 * `not_found`, `forbidden`, `invalid`.
 */
export async function createIntegration(
  ctx: Ctx,
  modelUid: string,
  input: CreateIntegration,
): Promise<IntegrationWithSecret> {
  // Before anything is locked, because a name may have to be looked up.
  if (input.provider === "http") await requireAllowed(input.url);
  return transaction(ctx, (tx) => addIntegration(tx, modelUid, input));
}

async function addIntegration(tx: Ctx, modelUid: string, input: CreateIntegration): Promise<IntegrationWithSecret> {
  const isHttp = input.provider === "http";
  const model = await lockOwnModel(tx, modelUid);
  if (!isHttp && input.prompts.length > 0) throw invalid("prompts", noPrompts);
  requireWholeHeader(input.header_name, input.header_value);
  const [uid, secret] = [uuidv7(), newWebhookSecret()];
  const owner = integrationSecretOwner(modelUid, uid);
  await tx.db.integration.create({
    data: {
      uid,
      modelId: modelUid,
      configUid: uuidv7(),
      provider: input.provider,
      name: input.name,
      configType: input.config_type,
      labelMap: input.label_map,
      prompts: input.prompts,
      ...(isHttp && {
        url: input.url,
        secretSealed: seal(secret, owner),
        headerName: input.header_name,
        headerSealed: input.header_name === "" ? null : seal(input.header_value, owner),
      }),
    },
  });
  await audit(tx, {
    action: "integration.created",
    targetType: "model",
    targetId: modelUid,
    targetName: model.name,
    after: { provider: input.provider, name: input.name },
  });
  await announceModel(tx, modelUid, "updated");
  return { ...(await getIntegration(tx, uid, model.is_public)), ...(isHttp && { secret }) };
}

/**
 * Makes a model of the organization with the address where it is. This response alone contains the secret that signs requests.
 * Throws `invalid`.
 */
export async function connectModel(
  ctx: Ctx,
  { name, model_type_name: type, ...address }: ConnectModel,
): Promise<{ model: ModelResource; integration: IntegrationWithSecret }> {
  await requireAllowed(address.url);
  return transaction(ctx, async (tx) => {
    const model = await createModel(tx, {
      name,
      description: "",
      model_type_name: type,
      model_type_description: "",
      is_public: false,
    });
    const at = { provider: "http", config_type: "batch", name: getHost(address.url), ...address } as const;
    return { model, integration: await addIntegration(tx, model.uid, at) };
  });
}

const getHost = (url: string): string => (URL.canParse(url) ? new URL(url).host : url).slice(0, 255);

function requireWholeHeader(name: string, value: string): void {
  if (name !== "" && value === "") throw invalid("header_value", "Enter the value of the header.");
  if (name === "" && value !== "") throw invalid("header_name", "Enter the name of the header.");
}

/** An integration of a model that the caller may change, both locked. Throws `not_found`, `forbidden`. */
async function lockOwnIntegration(tx: Ctx, uid: string) {
  const found = await findIntegration(tx, uid, "paused");
  if (!found) throw notFound();
  const model = await lockOwnModel(tx, found.model_id);
  // Read again, because it may have changed or gone before the lock was given.
  const integration = await findIntegration(tx, uid, "paused");
  if (!integration) throw notFound();
  return { model, integration };
}

/** The columns of its own header after a change. Throws `invalid` where a new address would be given the secret value. */
function changeHeader(
  integration: UsableIntegration,
  { url, header_name: name = integration.header_name, header_value: value }: UpdateIntegration,
): Prisma.IntegrationUpdateInput {
  if (name === "" && !value) return { headerName: "", headerSealed: null };
  const isElsewhere = url !== undefined && getOrigin(url) !== getOrigin(integration.url);
  const isKept = value === undefined && integration.header_sealed !== null;
  if (isKept && isElsewhere)
    throw invalid("header_value", "The address is of another server: enter the value of the header again.");
  if (isKept) return { headerName: name };
  requireWholeHeader(name, value ?? "");
  const owner = integrationSecretOwner(integration.model_id, integration.uid);
  return { headerName: name, headerSealed: seal(value ?? "", owner) };
}

const getOrigin = (url: string): string => (URL.canParse(url) ? new URL(url).origin : "");

/** Changes the given members. Throws `not_found`, `forbidden`, `invalid`. */
export async function updateIntegration(ctx: Ctx, uid: string, input: UpdateIntegration): Promise<IntegrationResource> {
  const found = await findIntegration(ctx, uid, "paused");
  if (!found) throw notFound();
  const isHttp = found.provider === "http";
  if (!isHttp && input.prompts && input.prompts.length > 0) throw invalid("prompts", noPrompts);
  if (isHttp && input.url !== undefined) await requireAllowed(input.url);
  return transaction(ctx, async (tx) => {
    const { model, integration } = await lockOwnIntegration(tx, uid);
    const before = await getIntegration(tx, uid, model.is_public);
    const { name, config_type: configType, label_map: labelMap, prompts, is_active: isActive } = input;
    await tx.db.integration.update({
      where: { uid },
      // Prisma does not write a column whose value is undefined.
      data: {
        name,
        configType,
        labelMap,
        prompts,
        isActive,
        ...(isHttp && { url: input.url, ...changeHeader(integration, input) }),
      },
    });
    const after = await getIntegration(tx, uid, model.is_public);
    const changed = difference({ ...before, updated_at: "" }, { ...after, updated_at: "" });
    if (changed || input.header_value !== undefined) {
      await audit(tx, {
        action: "integration.updated",
        targetType: "model",
        targetId: model.uid,
        targetName: model.name,
        ...(changed ?? {}),
      });
      await announceModel(tx, model.uid, "updated");
    }
    return after;
  });
}

/** Deletes an integration with its runs and what they predicted. Throws `not_found`, `forbidden`, `invalid("runs")`. */
export async function deleteIntegration(ctx: Ctx, uid: string): Promise<void> {
  await transaction(ctx, async (tx) => {
    const { model } = await lockOwnIntegration(tx, uid);
    const { provider_config_name: name } = await getIntegration(tx, uid, model.is_public);
    await requireNoRun(tx, Prisma.sql`${uid}`);
    await tx.db.integration.delete({ where: { uid } });
    await audit(tx, {
      action: "integration.deleted",
      targetType: "model",
      targetId: model.uid,
      targetName: model.name,
      before: { name },
    });
    await announceModel(tx, model.uid, "updated");
  });
}

/**
 * Gives an `http` integration a new secret, which only this response contains; the previous one also signs for 24 hours. Throws
 * `not_found`, `forbidden`, `invalid("provider")`.
 */
export async function rotateIntegrationSecret(ctx: Ctx, uid: string): Promise<IntegrationWithSecret> {
  const secret = newWebhookSecret();
  return transaction(ctx, async (tx) => {
    const { model, integration } = await lockOwnIntegration(tx, uid);
    if (integration.provider !== "http") throw invalid("provider", "Only requests to an address are signed.");
    await execute(
      tx,
      Prisma.sql`update model_integrations set previous_sealed = secret_sealed,
          previous_until = ${new Date(databaseMs() + overlapMs)}::timestamptz,
          secret_sealed = ${seal(secret, integrationSecretOwner(model.uid, uid))}, updated_at = now()
        where uid = ${uid} and model_id = ${model.uid}`,
    );
    await audit(tx, {
      action: "integration.secret_rotated",
      targetType: "model",
      targetId: model.uid,
      targetName: model.name,
    });
    await announceModel(tx, model.uid, "updated");
    return { ...(await getIntegration(tx, uid, model.is_public)), secret };
  });
}
