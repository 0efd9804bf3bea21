import { setTimeout as sleep } from "node:timers/promises";
import type { PlatformEventType } from "@/domain/platform-events/schema";
import type { Chance } from "@/faults/random";
import { readDocument, type SendRequest } from "@/faults/request";

/** The platform events that were caused, by their type and the unique name that the object had at the time. */
export interface Caused {
  /** Events of acknowledged changes: each must be emitted. */
  certain: Set<string>;
  /** Of changes whose response was lost. */
  possible: Set<string>;
}

export const toEventKey = (type: string, name: string): string => `${type} ${name}`;

interface Dataset {
  uid: string;
  slug: string;
  owner_name: string;
}

export interface Curator {
  n: number;
  request: SendRequest;
  chance: Chance;
  caused: Caused;
  /** Recordings that were uploaded, the oldest first. */
  uploaded: () => string[];
  stopping: () => boolean;
}

/**
 * Creates, renames, exports and deletes datasets, some of them from uploaded recordings. Part of the resulting events
 * is emitted by the web process and part by the worker.
 */
export async function curate({ n, request, chance, caused, uploaded, stopping }: Curator): Promise<void> {
  /** Records a request as the cause of these events. */
  const cause = async (
    types: PlatformEventType[],
    name: string,
    response: Promise<Response | undefined>,
  ): Promise<Response | undefined> => {
    const received = await response;
    for (const type of types) (received ? caused.certain : caused.possible).add(toEventKey(type, name));
    if (!received) await sleep(200);
    return received;
  };
  const pause = () => sleep(chance.between(20, 120));
  const exportDataset = async (
    { uid }: Dataset,
    name: string,
    type: "export.completed" | "export.failed",
  ): Promise<void> => {
    const body = { name, format: "avala-json-external", datasets: [uid], projects: [], slices: [] };
    const response = await cause([type], name, request("POST", "/exports/", body));
    await response?.body?.cancel().catch(() => {});
  };

  for (let round = 0; !stopping(); round++, await pause()) {
    const name = `set-${n}-${round}`;
    // Seldom enough that a worker which is killed every few seconds keeps up with it.
    const byWorker = round % 8 === 3;
    if (byWorker && round % 16 === 3) {
      const recording = await findReady(request, uploaded(), chance);
      if (recording === undefined) continue;
      // The worker emits the second event, once it has copied and read the recording's file.
      const response = await cause(
        ["dataset.created", "dataset.updated"],
        name,
        request("POST", `/fleet/recordings/${recording}/to-dataset/`, { name }),
      );
      const added = await readDocument<{ dataset: Dataset }>(response);
      // It is exported once it holds the recording; an export of nothing fails.
      while (added && !stopping()) {
        if (await hasItem(request, added.dataset)) {
          await exportDataset(added.dataset, `${name} taken out`, "export.completed");
          break;
        }
        await sleep(200);
      }
      continue;
    }
    const made = await readDocument<Dataset>(
      await cause(["dataset.created"], name, request("POST", "/datasets/", { name })),
    );
    if (!made) continue;
    await pause();
    const at = `/datasets/${made.owner_name}/${made.slug}/`;
    const renamed = `${name} renamed`;
    const response = await cause(["dataset.updated"], renamed, request("PATCH", at, { name: renamed }));
    await response?.body?.cancel().catch(() => {});
    // Export and delete only if the rename was acknowledged, since the name identifies the event.
    if (response && byWorker) await exportDataset(made, `${renamed} taken out`, "export.failed");
    else if (response && round % 2 === 0) await cause(["dataset.deleted"], renamed, request("DELETE", at));
  }
}

/** Whether a dataset has an item that was read. */
async function hasItem(request: SendRequest, { owner_name: owner, slug }: Dataset): Promise<boolean> {
  const listed = await request("GET", `/datasets/${owner}/${slug}/items/?limit=1`);
  const items = await readDocument<{ results: { status: string }[] }>(listed);
  return items?.results[0]?.status === "unattempted";
}

/** A recording that can be added to a dataset; undefined when there is none yet. */
async function findReady(request: SendRequest, uploaded: string[], chance: Chance): Promise<string | undefined> {
  for (const uid of chance.shuffled(uploaded).slice(0, 3)) {
    const recording = await readDocument<{ status: string }>(await request("GET", `/fleet/recordings/${uid}/`));
    if (recording?.status === "ready") return uid;
  }
  return undefined;
}
