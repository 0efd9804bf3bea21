import { z } from "zod";
import type { AnnotationsQuery, ViewedItem } from "@/domain/items/viewer-schema";
import { resultStatuses, StoredAnnotation } from "@/domain/tasks/schema";
import { getDataset } from "@/server/features/datasets/service";
import { isVisible } from "@/server/features/membership/assignment-queries";
import { PredictionNode } from "@/server/features/models/resource";
import type { Ctx } from "@/server/platform/context";
import { Prisma } from "@/server/platform/database/generated/client";
import { sql } from "@/server/platform/db";
import { jsonb, oneOf, text, timestamptz, type Wire } from "@/server/platform/rows";

const resultRow = {
  uid: text,
  status: oneOf(resultStatuses),
  submitted_by: text,
  created_at: timestamptz,
  project_name: text,
  labels: jsonb(z.array(z.object({ name: z.string(), color: z.string() }))),
  annotations: jsonb(z.array(StoredAnnotation)),
};

/** A result with its annotations, and the colours of its project's labels. */
export type AnnotatedResult = Wire<typeof resultRow>;

/**
 * The named result of an item, else its latest accepted one, else its latest one that was not rejected; null without any.
 * Throws `not_found` for an unknown item.
 */
export async function readAnnotations(ctx: Ctx, input: AnnotationsQuery): Promise<AnnotatedResult | null> {
  const dataset = await getDataset(ctx, input);
  const wanted = input.result === undefined ? Prisma.sql`r.status <> 'rejected'` : Prisma.sql`r.uid = ${input.result}`;
  const [row] = await sql(
    resultRow,
    Prisma.sql`select r.uid, r.status, r.submitted_by, r.created_at, p.name as project_name, p.labels, r.annotations
      from results r join projects p on p.uid = r.project_id
      where r.item_id = ${input.uid} and r.dataset_id = ${dataset.uid} and r.organization_id = ${ctx.organizationId}
        and ${wanted} and ${isVisible(ctx, "project", Prisma.sql`p.uid`)}
      order by r.status = 'accepted' desc, r.uid desc limit 1`,
  );
  return row ?? null;
}

const predictionRow = {
  run_uid: text,
  model_name: text,
  created_at: timestamptz,
  nodes: jsonb(z.array(PredictionNode)),
};
/** What a run predicted for an item. */
export type ItemPredictions = Wire<typeof predictionRow>;

const maxRuns = 10;

/** What the newest runs predicted for an item. Throws `not_found`. */
export async function readPredictions(ctx: Ctx, input: ViewedItem): Promise<ItemPredictions[]> {
  const dataset = await getDataset(ctx, input);
  return sql(
    predictionRow,
    Prisma.sql`select r.uid as run_uid, m.name as model_name, r.created_at, p.nodes
      from model_runs r join model_predictions p on p.run_id = r.uid and p.item_id = ${input.uid}
        join model_integrations g on g.uid = r.integration_id join models m on m.uid = g.model_id
      where r.dataset_id = ${dataset.uid} and r.organization_id = ${ctx.organizationId}
      order by r.uid desc limit ${maxRuns}`,
  );
}
