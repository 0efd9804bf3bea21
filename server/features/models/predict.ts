import { z } from "zod";
import { clipToPicture, getPictureSize } from "@/domain/annotations/picture-bounds";
import { Annotation } from "@/domain/tasks/schema";
import type { PredictionNode } from "@/server/features/models/resource";
import type { UsableIntegration } from "@/server/features/models/service";
import { env } from "@/server/platform/env";
import { sendOutbound } from "@/server/platform/http-client/http-client";
import { objectStore } from "@/server/platform/storage/current";
import { displayName } from "@/server/platform/storage/file-name";
import { uuidv7 } from "@/server/platform/uid";

/** The columns of an item that a prediction needs. */
export interface PredictItem {
  uid: string;
  key: string;
  dataset_id: string;
  media_type: string;
  metadata: Record<string, unknown>;
  storage_key: string;
  size_bytes: bigint;
}

/** The provider failed or its response is invalid; the message is shown to users. */
export class PredictionFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PredictionFailed";
  }
}

const linkSeconds = 3_600;
/** Limit of a provider's response, in bytes. */
const maxResponseBytes = 1024 * 1024;

const PredictResponse = z.object({ predictions: z.array(Annotation).max(10_000) });

export interface Predicted {
  /** The nodes of a tree. */
  nodes: PredictionNode[];
  /** How many shapes stuck out of the picture. They are clipped, and left out where nothing of them is inside. */
  clipped: number;
}

/** The predictions of a model for an item, within its picture. Throws `PredictionFailed`. */
export async function predict(integration: UsableIntegration, item: PredictItem): Promise<Predicted> {
  const given =
    integration.provider === "http" ? await requestProvider(integration.url, item) : await runBaseline(item);
  const size = getPictureSize(item.media_type, item.metadata);
  const held = given.map((annotation) => (size ? clipToPicture(annotation, size) : annotation));
  return {
    nodes: held.flatMap((annotation) => (annotation === null ? [] : [toNode(annotation, integration)])),
    clipped: held.filter((annotation, at) => annotation !== given[at]).length,
  };
}

function toNode({ label, type, coordinates, attributes }: Annotation, integration: UsableIntegration): PredictionNode {
  return {
    uid: uuidv7(),
    annotation: { task_name: integration.model_name, object: label, data: { type, coordinates, attributes } },
    project_index: 0,
    status: "submitted",
    annotator: null,
    reviewer: null,
    children: [],
  };
}

async function runBaseline(item: PredictItem): Promise<Annotation[]> {
  if (!item.media_type.startsWith("image/")) return [];
  // Loads the picture decoder only here: a web process seldom needs it.
  const { detectStandout } = await import("@/server/features/models/baseline");
  return detectStandout(Buffer.from(await objectStore().readBytes(item.storage_key, 0, Number(item.size_bytes))));
}

/**
 * POSTs `{dataset_uid, item: {uid, key, metadata, data_url}}` to a provider, which responds `{predictions:
 * [annotation…]}`.
 */
async function requestProvider(
  url: string,
  { uid, key, dataset_id, metadata, storage_key }: PredictItem,
): Promise<Annotation[]> {
  const link = await objectStore().downloadUrl({
    key: storage_key,
    fileName: displayName(key),
    by: null,
    ttlSeconds: linkSeconds,
  });
  if (link === null) throw new PredictionFailed("The bucket of the item is not connected any more.");
  const item = { uid, key, metadata, data_url: new URL(link, env.PUBLIC_URL).href };
  const response = await sendOutbound({
    url,
    body: JSON.stringify({ dataset_uid: dataset_id, item }),
    headers: { "content-type": "application/json" },
    responseBytes: maxResponseBytes,
  }).catch((error: unknown) => {
    throw new PredictionFailed(error instanceof Error ? error.message : "The provider could not be reached.");
  });
  if (response.status !== 200) throw new PredictionFailed(`The provider answered ${response.status}.`);
  let document: unknown;
  try {
    document = JSON.parse(response.body);
  } catch {
    throw new PredictionFailed("The provider's answer is not JSON.");
  }
  const parsed = PredictResponse.safeParse(document);
  if (!parsed.success)
    throw new PredictionFailed("The provider's answer holds no list of predictions that can be read.");
  return parsed.data.predictions;
}
