import { z } from "zod";
import { maxNamed } from "@/domain/limits";
import {
  type Invoke,
  type Predict,
  type PredictionFilters,
  type RunFilters,
  runStatuses,
} from "@/domain/models/schema";
import { audit } from "@/server/features/audit/service";
import { isRunVisible, isVisible } from "@/server/features/membership/assignment-queries";
import { findIntegration } from "@/server/features/models/integration-service";
import { predict, toNodes } from "@/server/features/models/predict";
import { PredictionFailed, type PredictItem } from "@/server/features/models/provider-request";
import { type PredictionGroup, PredictionNode, type RunResource } from "@/server/features/models/resource";
import { selectTargets } from "@/server/features/models/run-target-service";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { query, sql, transaction } from "@/server/platform/db";
import { invalid, notFound, ServiceError } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { keysetPage, type Page } from "@/server/platform/pagination";
import { announce } from "@/server/platform/realtime/changes";
import { int4, int8, json, jsonb, jsonbObject, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";
import { uuidv7 } from "@/server/platform/uid";

const columns = Prisma.sql`r.uid, r.status as run_status, case when r.item_ids = '{}' then 'full' else 'partial' end as type,
  r.integration_id as integration_uid, json_build_array(json_build_object('dataset_uid', r.dataset_id, 'dataset_item_uids', r.item_ids[1:${maxNamed}])) as dataset,
  r.created_at, r.updated_at, r.total_count as total_item_count, r.done_count as done_item_count, r.failed_count as failed_item_count,
  r.clipped_count as clipped_prediction_count, r.error_message,
  r.created_by_id as created_by_uid`;
const runRow = {
  uid: text,
  run_status: oneOf(runStatuses),
  type: oneOf(["full", "partial"]),
  integration_uid: text,
  dataset: json(z.array(z.object({ dataset_uid: z.string(), dataset_item_uids: z.array(z.string()) }))),
  created_at: timestamptz,
  updated_at: timestamptz,
  total_item_count: nullable(int4),
  done_item_count: int4,
  failed_item_count: int4,
  clipped_prediction_count: int4,
  error_message: nullable(text),
  created_by_uid: nullable(text),
};

/** The runs of the organization on datasets that the caller sees. */
const visible = (ctx: Ctx): Prisma.Sql =>
  Prisma.sql`r.organization_id = ${ctx.organizationId} and ${isRunVisible(ctx)}`;

/** Runs, newest first. */
export async function listRuns(ctx: Ctx, filters: RunFilters): Promise<Page<RunResource>> {
  const {
    limit,
    cursor,
    integration_uid: integrationUid,
    run_status: runStatus,
    dataset_uid: datasetUid,
    dataset_item_uid: datasetItemUid,
  } = filters;
  return keysetPage<RunResource>(ctx, {
    name: "model-runs",
    filters: { integrationUid, runStatus, datasetUid, datasetItemUid },
    page: { limit, cursor },
    order: { columns: ["r.uid"], direction: "desc" },
    key: (run) => [run.uid],
    fetch: ({ where, orderBy, limit: rows }) =>
      sql(
        runRow,
        Prisma.sql`select ${columns} from model_runs r where ${visible(ctx)} and ${where}
        ${integrationUid === undefined ? Prisma.empty : Prisma.sql`and r.integration_id = ${integrationUid}`}
        ${runStatus ? Prisma.sql`and r.status = any(${runStatus})` : Prisma.empty}
        ${datasetUid === undefined ? Prisma.empty : Prisma.sql`and r.dataset_id = ${datasetUid}`}
        ${
          datasetItemUid === undefined
            ? Prisma.empty
            : Prisma.sql`and r.dataset_id = (select i.dataset_id from items i where i.uid = ${datasetItemUid})
                and (r.item_ids = '{}' or ${datasetItemUid} = any(r.item_ids))`
        }
        order by ${orderBy} limit ${rows}`,
      ),
  });
}

/** One run. Throws `not_found`. */
export async function getRun(ctx: Ctx, uid: string, lock: Prisma.Sql = Prisma.empty): Promise<RunResource> {
  const [row] = await query(
    ctx,
    runRow,
    Prisma.sql`select ${columns} from model_runs r where r.uid = ${uid} and ${visible(ctx)} ${lock}`,
  );
  if (!row) throw notFound();
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() };
}

/**
 * Starts runs of a model in the background, one for each dataset or selection of its items. Throws `not_found`, `invalid`,
 * and `conflict` with the code `count` where a filter or a slice holds other than expected.
 */
export async function startRuns(ctx: Ctx, integrationUid: string, targets: Predict): Promise<RunResource[]> {
  return transaction(ctx, async (tx) => {
    const integration = await findIntegration(tx, integrationUid);
    if (!integration) throw notFound();
    const runs: RunResource[] = [];
    for (const { dataset_uid, items } of await selectTargets(tx, targets)) {
      const uid = uuidv7();
      await tx.db.run.create({
        data: {
          uid,
          organizationId: tx.organizationId,
          integrationId: integrationUid,
          datasetId: dataset_uid,
          itemIds: items,
          createdById: tx.actor.userId,
        },
      });
      await enqueue(tx, jobs.runModel, { organizationId: tx.organizationId, runId: uid });
      await announce(tx, "run", uid, "created");
      await audit(tx, { action: "run.created", targetType: "run", targetId: uid, targetName: integration.model_name });
      runs.push(await getRun(tx, uid));
    }
    return runs;
  });
}

/** The predictions of a run, one entry for each item, in the order of the items. Throws `not_found`. */
export async function listPredictions(
  ctx: Ctx,
  uid: string,
  { dataset_uid: datasetUid, dataset_item_uid: datasetItemUid }: PredictionFilters,
): Promise<PredictionGroup[]> {
  await getRun(ctx, uid);
  const rows = await sql(
    { dataset_uid: text, dataset_item_uid: text, nodes: jsonb(z.array(PredictionNode)) },
    Prisma.sql`select p.dataset_id as dataset_uid, p.item_id as dataset_item_uid, p.nodes from model_predictions p where p.run_id = ${uid}
      ${datasetUid === undefined ? Prisma.empty : Prisma.sql`and p.dataset_id = ${datasetUid}`}
      ${datasetItemUid === undefined ? Prisma.empty : Prisma.sql`and p.item_id = ${datasetItemUid}`} order by p.item_id`,
  );
  return rows.map(({ nodes, ...of }) => ({ ...of, predictions: { nodes } }));
}

/** Columns of `items i` that `predict` needs. */
export const predictItemColumns = Prisma.sql`i.uid, i.key, i.dataset_id, i.media_type, i.metadata, i.storage_key, i.size_bytes`;
/** The row type of `predictItemColumns`. */
export const predictItemRow = {
  uid: text,
  key: text,
  dataset_id: text,
  media_type: text,
  metadata: jsonbObject,
  storage_key: text,
  size_bytes: int8,
};

/** An item that was read and that the caller sees. Throws `invalid("dataset_item_uid")`. */
export async function getItemToPredict(ctx: Ctx, uid: string): Promise<PredictItem> {
  const [item] = await query(
    ctx,
    predictItemRow,
    Prisma.sql`select ${predictItemColumns} from items i
      where i.uid = ${uid} and i.organization_id = ${ctx.organizationId} and i.status <> 'pending'
        and ${isVisible(ctx, "dataset", Prisma.sql`i.dataset_id`)}`,
  );
  if (!item) throw invalid("dataset_item_uid", `Invalid pk "${uid}" - object does not exist.`);
  return item;
}

/**
 * Applies a model to one item and waits for the predictions. Throws `invalid`, and `unavailable` when the provider
 * fails.
 */
export async function invoke(
  ctx: Ctx,
  { integration_uid: integrationUid, dataset_item_uid: datasetItemUid }: Invoke,
): Promise<PredictionGroup> {
  const integration = await findIntegration(ctx, integrationUid);
  if (!integration) throw invalid("integration_uid", `Invalid pk "${integrationUid}" - object does not exist.`);
  const item = await getItemToPredict(ctx, datasetItemUid);
  try {
    return {
      dataset_uid: item.dataset_id,
      dataset_item_uid: item.uid,
      predictions: {
        nodes: toNodes((await predict(integration, item, "interactive")).annotations, integration.model_name),
      },
    };
  } catch (error) {
    if (error instanceof PredictionFailed) throw new ServiceError("unavailable", { detail: error.message });
    throw error;
  }
}
