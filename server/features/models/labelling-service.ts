import { addRecordingToDataset } from "@/server/features/datasets/from-recording-service";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { createDataset, getDatasetByUid } from "@/server/features/datasets/service";
import type { UsableIntegration } from "@/server/features/models/integration-secrets";
import { findIntegration } from "@/server/features/models/integration-service";
import { systemContext, type Ctx } from "@/server/platform/context";
import { prisma, transaction } from "@/server/platform/db";
import { isServiceError } from "@/server/platform/errors";
import { jobs } from "@/server/platform/jobs/definitions";
import { enqueue } from "@/server/platform/jobs/queue";
import { uuidv7 } from "@/server/platform/uid";

/** The labelling action of a rule: a model labels the recording's files. */
export interface Labelling {
  ruleId: string;
  recordingId: string;
  integrationUid: string;
}

/**
 * Queues the labelling of a recording by a model, once for each rule, in the transaction of the rule's evaluation; the
 * job runs once the recording is ready. Returns why it is not possible, else null.
 */
export async function startLabelling(tx: Ctx, labelling: Labelling): Promise<string | null> {
  if (!(await findIntegration(tx, labelling.integrationUid))) return "The pipeline does not exist any more.";
  const { ruleId, recordingId, integrationUid } = labelling;
  await enqueue(
    tx,
    jobs.labelRecording,
    { organizationId: tx.organizationId, ...labelling },
    { key: `label ${ruleId} ${recordingId} ${integrationUid}` },
  );
  return null;
}

/** The dataset of the recordings that rules label by one pipeline; created with its first recording. */
async function getLabelledDataset(tx: Ctx, integration: UsableIntegration): Promise<DatasetResource> {
  const slug = `auto-label-${integration.uid}`;
  const existing = await tx.db.dataset.findFirst({
    where: { organizationId: tx.organizationId, slug },
    select: { uid: true },
  });
  if (existing) return getDatasetByUid(tx, existing.uid);
  return createDataset(tx, {
    name: `Labelled by ${integration.model_name}`.slice(0, 255),
    slug,
    data_type: "mcap",
    is_sequence: false,
    visibility: "private",
    access: "organization",
  });
}

/**
 * Adds the recording's files to the pipeline's dataset and starts a run of the model on them; does nothing the second
 * time.
 */
export async function labelRecording(
  organizationId: string,
  { ruleId, recordingId, integrationUid }: Labelling,
): Promise<void> {
  const ctx = systemContext(prisma, organizationId, "models");
  await transaction(ctx, async (tx) => {
    const done = await tx.db.run.findFirst({
      where: { ruleId, recordingId, integrationId: integrationUid },
      select: { uid: true },
    });
    const integration = await findIntegration(tx, integrationUid);
    if (done || !integration) return;
    const dataset = await getLabelledDataset(tx, integration);
    try {
      await addRecordingToDataset(tx, recordingId, { dataset: dataset.uid });
    } catch (error) {
      if (isServiceError(error) && error.code === "not_found") return;
      throw error;
    }
    const items = await tx.db.item.findMany({ where: { datasetId: dataset.uid, recordingId }, select: { uid: true } });
    if (items.length === 0) return;
    const runId = uuidv7();
    await tx.db.run.create({
      data: {
        uid: runId,
        organizationId,
        integrationId: integrationUid,
        datasetId: dataset.uid,
        itemIds: items.map(({ uid }) => uid),
        ruleId,
        recordingId,
      },
    });
    await enqueue(tx, jobs.runModel, { organizationId, runId });
  });
}

/** Queues the runs that wait until the items of a dataset are indexed. */
export async function startWaitingRuns(organizationId: string, datasetId: string): Promise<void> {
  const ctx = systemContext(prisma, organizationId, "models");
  await transaction(ctx, async (tx) => {
    const waiting = await tx.db.run.findMany({
      where: { organizationId, datasetId, status: "pending", recordingId: { not: null } },
      select: { uid: true },
    });
    for (const { uid } of waiting)
      await enqueue(tx, jobs.runModel, { organizationId, runId: uid }, { key: `run ${uid}` });
  });
}
