import { setTimeout as sleep } from "node:timers/promises";
import type { PlatformEventType } from "@/domain/platform-events/schema";
import { documentOf, type Ask } from "@/faults/ask";
import type { Chance } from "@/faults/random";

/**
 * The platform events that were caused, told apart by their type and the name that the thing had at the time, which no
 * other has.
 */
export interface Caused {
  /** Of changes that were acknowledged: each must be told. */
  surely: Set<string>;
  /** Of changes whose answer was lost. */
  perhaps: Set<string>;
}

export const keyOf = (type: string, name: string): string => `${type} ${name}`;

interface Dataset {
  uid: string;
  slug: string;
  owner_name: string;
}

export interface Curator {
  n: number;
  ask: Ask;
  chance: Chance;
  caused: Caused;
  /** Recordings that were uploaded, the oldest first. */
  uploaded: () => string[];
  stopping: () => boolean;
}

/**
 * Makes, renames, exports and deletes datasets, some of them of the recordings that arrive: a part of the events that
 * come of it is told by the web process and a part by the worker.
 */
export async function curate({ n, ask, chance, caused, uploaded, stopping }: Curator): Promise<void> {
  /** Does what causes these events. */
  const cause = async (
    types: PlatformEventType[],
    name: string,
    answer: Promise<Response | undefined>,
  ): Promise<Response | undefined> => {
    const got = await answer;
    for (const type of types) (got ? caused.surely : caused.perhaps).add(keyOf(type, name));
    if (!got) await sleep(200);
    return got;
  };
  const pause = () => sleep(chance.between(20, 120));
  const exportOf = async ({ uid }: Dataset, name: string): Promise<void> => {
    const body = { name, format: "avala-json-external", datasets: [uid], projects: [], slices: [] };
    const answer = await cause(["export.completed"], name, ask("POST", "/exports/", body));
    await answer?.body?.cancel().catch(() => {});
  };

  for (let round = 0; !stopping(); round++, await pause()) {
    const name = `set-${n}-${round}`;
    // Seldom enough that a worker which is killed every few seconds keeps up with it.
    const byWorker = round % 8 === 3;
    if (byWorker && round % 16 === 3) {
      const recording = await readyOne(ask, uploaded(), chance);
      if (recording === undefined) continue;
      // The worker tells the second, once it has copied and read the recording's file.
      const answer = await cause(
        ["dataset.created", "dataset.updated"],
        name,
        ask("POST", `/fleet/recordings/${recording}/to-dataset/`, { name }),
      );
      const added = await documentOf<{ dataset: Dataset }>(answer);
      if (added) await exportOf(added.dataset, `${name} taken out`);
      continue;
    }
    const made = await documentOf<Dataset>(await cause(["dataset.created"], name, ask("POST", "/datasets/", { name })));
    if (!made) continue;
    await pause();
    const at = `/datasets/${made.owner_name}/${made.slug}/`;
    const renamed = `${name} renamed`;
    const answer = await cause(["dataset.updated"], renamed, ask("PATCH", at, { name: renamed }));
    await answer?.body?.cancel().catch(() => {});
    // Only what surely has its name is told by it when it goes.
    if (answer && byWorker) await exportOf(made, `${renamed} taken out`);
    else if (answer && round % 2 === 0) await cause(["dataset.deleted"], renamed, ask("DELETE", at));
  }
}

/** A recording that can be added to a dataset; undefined when there is none yet. */
async function readyOne(ask: Ask, uploaded: string[], chance: Chance): Promise<string | undefined> {
  for (const uid of chance.shuffled(uploaded).slice(0, 3)) {
    const recording = await documentOf<{ status: string }>(await ask("GET", `/fleet/recordings/${uid}/`));
    if (recording?.status === "ready") return uid;
  }
  return undefined;
}
