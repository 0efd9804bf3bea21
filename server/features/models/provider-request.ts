import type { ModelPrompt } from "@/domain/models/prompt";
import { openIntegrationSecrets, type UsableIntegration } from "@/server/features/models/integration-secrets";
import { databaseMs } from "@/server/platform/clock";
import { env } from "@/server/platform/env";
import { sendOutbound, type OutboundResponse } from "@/server/platform/http-client/http-client";
import { maskSecret } from "@/server/platform/http-client/shown-address";
import { signHeaders } from "@/server/platform/http-client/signature";
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

/** One request to a model and its answer, as people may see them. */
export interface Exchange {
  request_headers: Record<string, string>;
  request_body: Record<string, unknown> | null;
  /** Null without an answer. */
  status: number | null;
  /** Its beginning. */
  answer: string;
  duration_ms: number;
}
export const noExchange: Exchange = {
  request_headers: {},
  request_body: null,
  status: null,
  answer: "",
  duration_ms: 0,
};

/** The provider failed or its answer is invalid; the message is shown to users. */
export class PredictionFailed extends Error {
  constructor(
    message: string,
    readonly exchange: Exchange = noExchange,
  ) {
    super(message);
    this.name = "PredictionFailed";
  }
}

/** Seconds for which the link to an item's file works. */
const linkSeconds = 3_600;
/** Limit of a provider's answer. */
const maxAnswerMiB = 8;
const maxAnswerBytes = maxAnswerMiB * 1024 * 1024;
/** Characters of an answer that people are shown. */
const shownCharacters = 16 * 1024;
/** Milliseconds that a model has: while somebody waits, and in a run. */
const modelTimeouts = { interactive: 15_000, batch: 60_000 } as const;
export type Waiting = keyof typeof modelTimeouts;

/** What somebody asks a model while they draw, in place of "all that you see". */
export interface Asked {
  prompt: ModelPrompt;
  /** The labels that are wanted; none: those of its map. */
  labels: readonly string[];
  request_id: string;
}

/** The labels that are wanted of a model: those that its map leads to. */
const wantedLabels = (integration: UsableIntegration): string[] => [
  ...new Set(Object.values(integration.label_map).filter((label) => label !== "")),
];

/**
 * POSTs `{dataset_uid, item: {uid, key, metadata, data_url}, prompt?, labels, request_id}` to the address of an integration,
 * signed like webhooks. Returns the answer as text with what people may see of the exchange. Throws `PredictionFailed`.
 */
export async function requestProvider(
  integration: UsableIntegration,
  { uid, key, dataset_id, metadata, storage_key }: PredictItem,
  waiting: Waiting,
  asked?: Asked,
): Promise<{ answer: string; exchange: Exchange }> {
  const link = await objectStore().downloadUrl({
    key: storage_key,
    fileName: displayName(key),
    by: null,
    ttlSeconds: linkSeconds,
  });
  if (link === null) throw new PredictionFailed("The bucket of the item is not connected any more.");
  const id = asked?.request_id ?? uuidv7();
  const item = { uid, key, metadata, data_url: new URL(link, env.PUBLIC_URL).href };
  const labels = asked && asked.labels.length > 0 ? asked.labels : wantedLabels(integration);
  const document = {
    dataset_uid: dataset_id,
    item,
    ...(asked && { prompt: asked.prompt }),
    labels,
    request_id: id,
  };
  const body = JSON.stringify(document);
  const { secret, previousSecret, headerValue } = openIntegrationSecrets(integration);
  const timestamp = Math.floor(databaseMs() / 1_000);
  const own = integration.header_name !== "" && headerValue !== null ? { [integration.header_name]: headerValue } : {};
  const headers = {
    "content-type": "application/json",
    ...(secret !== null &&
      signHeaders({ secret, previousSecret, id, timestamp, body, event: "predict", deliveryId: id })),
  };
  const shown = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, maskSecret(value)]));
  const exchange: Exchange = { ...noExchange, request_headers: { ...headers, ...shown }, request_body: document };
  const started = performance.now();
  const elapsed = () => ({ duration_ms: Math.round(performance.now() - started) });
  let response: OutboundResponse;
  try {
    response = await sendOutbound({
      url: integration.url,
      body,
      headers: { ...headers, ...own },
      responseBytes: maxAnswerBytes + 1,
      totalMs: modelTimeouts[waiting],
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : "The provider could not be reached.";
    throw new PredictionFailed(message, { ...exchange, ...elapsed() });
  }
  const answered = {
    ...exchange,
    ...elapsed(),
    status: response.status,
    answer: response.body.slice(0, shownCharacters),
  };
  if (response.status !== 200) throw new PredictionFailed(`The provider answered ${response.status}.`, answered);
  if (Buffer.byteLength(response.body) > maxAnswerBytes)
    throw new PredictionFailed(`The provider's answer is larger than ${maxAnswerMiB} MiB.`, answered);
  return { answer: response.body, exchange: answered };
}
