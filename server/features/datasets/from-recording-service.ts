import type { RecordingToDataset } from "@/domain/datasets/schema";
import { audit } from "@/server/features/audit/service";
import type { RecordingAdded } from "@/server/features/datasets/resource";
import {
  createDataset,
  getDatasetByUid,
  lockDataset,
  namedDatasets,
  getPrefix,
} from "@/server/features/datasets/service";
import { addItems } from "@/server/features/datasets/upload-service";
import { listReadFiles } from "@/server/features/recordings/file-service";
import { findRecording } from "@/server/features/recordings/service";
import { requireRole, type Ctx } from "@/server/platform/context";
import { transaction } from "@/server/platform/db";
import { invalid } from "@/server/platform/errors";
import { uuidv7 } from "@/server/platform/uid";

/**
 * Adds the files of a recording to the given dataset, or to a new one; files that it contains already are skipped. The
 * worker copies them, so that they stay when the recording is deleted. Throws `not_found`, `forbidden` for a member without a dataset, `invalid("dataset")`, and
 * `invalid("status")` while the recording is not ready.
 */
export async function addRecordingToDataset(
  ctx: Ctx,
  recordingId: string,
  input: RecordingToDataset,
): Promise<RecordingAdded> {
  return transaction(ctx, async (tx) => {
    const recording = await findRecording(tx, recordingId);
    if (input.dataset === undefined) requireRole(tx, "admin");
    if (recording.status !== "ready" && recording.status !== "archived") {
      throw invalid("status", `The recording is ${recording.status}; only what was processed can be added.`);
    }
    const name = input.name ?? (recording.name || `${recording.device_name} ${recording.started_at.slice(0, 10)}`);
    const [named] = input.dataset === undefined ? [] : await namedDatasets(tx, "dataset", [input.dataset]);
    const target =
      named ??
      (await createDataset(tx, {
        name,
        data_type: "mcap",
        is_sequence: false,
        visibility: "private",
        access: "organization",
      }));
    const dataset = await lockDataset(tx, target.uid);
    const files = await listReadFiles(tx, recordingId);
    const keyed = files.map((file) => ({ file, key: `${recordingId}/${file.path}` }));
    const present = await tx.db.item.findMany({
      where: { datasetId: dataset.uid, key: { in: keyed.map(({ key }) => key) } },
      select: { key: true },
    });
    const presentKeys = new Set(present.map(({ key }) => key));
    const added = keyed.filter(({ key }) => !presentKeys.has(key));
    if (added.length > 0) {
      const prefix = await getPrefix(tx, dataset, dataset.storage_config_uid);
      await addItems(
        tx,
        dataset.uid,
        added.map(({ file, key }) => ({
          key,
          storageKey: `${prefix}${uuidv7()}`,
          sizeBytes: file.sizeBytes,
          recordingId,
          copyFrom: file.storageKey,
        })),
      );
    }
    await audit(tx, {
      action: "dataset.recording_added",
      targetType: "dataset",
      targetId: dataset.uid,
      targetName: dataset.name,
      after: { recording_id: recordingId, items: added.length },
    });
    return { dataset: await getDatasetByUid(tx, dataset.uid), items_added: added.length };
  });
}
