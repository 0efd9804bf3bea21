import { clipToPicture, getPictureSize, isOfOtherPicture, type PictureSize } from "@/domain/annotations/picture-bounds";
import type { LabelMap } from "@/domain/models/schema";
import type { Annotation } from "@/domain/tasks/schema";
import type { UsableIntegration } from "@/server/features/models/integration-secrets";
import { getScore, readAnswer } from "@/server/features/models/provider-answer";
import {
  noExchange,
  PredictionFailed,
  requestProvider,
  type Asked,
  type Exchange,
  type PredictItem,
  type Waiting,
} from "@/server/features/models/provider-request";
import type { PredictionNode } from "@/server/features/models/resource";
import { objectStore } from "@/server/platform/storage/current";
import { uuidv7 } from "@/server/platform/uid";

export interface Predicted {
  annotations: Annotation[];
  /** How many the map of labels leaves out, by the model's own name. */
  leftOut: Record<string, number>;
  /** How many shapes stuck out of the picture. They are clipped, and left out where nothing of them is inside. */
  clipped: number;
  exchange: Exchange;
}

/** The predictions of a model for an item, with the labels that they have here, within its picture. Throws `PredictionFailed`. */
export async function predict(
  integration: UsableIntegration,
  item: PredictItem,
  waiting: Waiting = "batch",
  asked?: Asked,
): Promise<Predicted> {
  const { given, exchange } =
    integration.provider === "http" ? await askProvider(integration, item, waiting, asked) : await askBaseline(item);
  const size = getPictureSize(item.media_type, item.metadata);
  // Clipped, nothing would be left of it, as if the model had found nothing.
  const wrong = size && refuseMask(given, size, integration.label_map);
  if (wrong) throw new PredictionFailed(wrong, exchange);
  const { kept, leftOut } = mapLabels(given, integration.label_map);
  const held = kept.map((annotation) => (size ? clipToPicture(annotation, size) : annotation));
  return {
    annotations: held.filter((annotation) => annotation !== null),
    leftOut,
    clipped: held.filter((annotation, at) => annotation !== kept[at]).length,
    exchange,
  };
}

/** What is wrong with the first mask that is of another picture, of those that the map of labels keeps. */
function refuseMask(given: readonly Annotation[], size: PictureSize, map: LabelMap): string | null {
  const names = new Map(Object.entries(map));
  const at = given.findIndex((each) => names.get(each.label) !== "" && isOfOtherPicture(each, size));
  return at < 0
    ? null
    : `predictions.${at}.coordinates.size: The picture has the size [${size.height}, ${size.width}].`;
}

/** Annotations with the labels that they have here; those that the map leaves out are counted. */
function mapLabels(given: readonly Annotation[], map: LabelMap) {
  const names = new Map(Object.entries(map));
  const left = new Map<string, number>();
  const kept = given.flatMap((annotation) => {
    const label = names.get(annotation.label) ?? annotation.label;
    if (label !== "") return { ...annotation, label };
    left.set(annotation.label, (left.get(annotation.label) ?? 0) + 1);
    return [];
  });
  return { kept, leftOut: Object.fromEntries(left) };
}

/** Predictions as the nodes of a tree, as responses have them. */
export const toNodes = (annotations: readonly Annotation[], modelName: string): PredictionNode[] =>
  annotations.map(({ label, type, coordinates, attributes }) => ({
    uid: uuidv7(),
    annotation: { task_name: modelName, object: label, data: { type, coordinates, attributes } },
    project_index: 0,
    status: "submitted",
    annotator: null,
    reviewer: null,
    children: [],
  }));

/** What lists and figures need of predictions: their labels and the highest score; null where no score is known. */
export function summarize(annotations: readonly Annotation[]): { labels: string[]; maxScore: number | null } {
  const scores = annotations.map(({ attributes }) => getScore(attributes)).filter((score) => score !== null);
  return {
    labels: [...new Set(annotations.map(({ label }) => label))],
    maxScore: scores.length === 0 ? null : scores.reduce((most, score) => Math.max(most, score)),
  };
}

interface Given {
  given: Annotation[];
  exchange: Exchange;
}

async function askProvider(
  integration: UsableIntegration,
  item: PredictItem,
  waiting: Waiting,
  asked: Asked | undefined,
): Promise<Given> {
  const { answer, exchange } = await requestProvider(integration, item, waiting, asked);
  const read = readAnswer(answer);
  if ("error" in read) throw new PredictionFailed(read.error, exchange);
  return { given: read.predictions, exchange };
}

async function askBaseline(item: PredictItem): Promise<Given> {
  const started = performance.now();
  const given = await runBaseline(item);
  const exchange = { ...noExchange, duration_ms: Math.round(performance.now() - started) };
  return { given, exchange };
}

async function runBaseline(item: PredictItem): Promise<Annotation[]> {
  if (!item.media_type.startsWith("image/")) return [];
  // Loads the picture decoder only here: a web process seldom needs it.
  const { detectStandout } = await import("@/server/features/models/baseline");
  return detectStandout(Buffer.from(await objectStore().readBytes(item.storage_key, 0, Number(item.size_bytes))));
}
