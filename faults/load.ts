import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Product } from "@/bench/product";
import { ApiError } from "@/cli/client/api-client";
import { runUpload, type UploadPlan } from "@/cli/upload-run";
import { curate, type Caused } from "@/faults/curate";
import type { Fleet } from "@/faults/fleet";
import type { Chance } from "@/faults/random";
import type { MadeRecording } from "@/faults/recordings";
import { createRequester, readDocument } from "@/faults/request";

/** What the product acknowledged, and what it may or may not have done because its response was lost. */
export interface Ledger {
  /** Recordings whose upload and finalize were acknowledged. */
  uploaded: Map<string, { made: MadeRecording; device: string }>;
  /** Recordings whose creation was acknowledged and that get no files. */
  created: Set<string>;
  /** Number of events by the mark they all carry. */
  acknowledged: Map<string, { recording: string; count: number }>;
  unknown: Map<string, { recording: string; count: number }>;
  /** Events that the subscriptions must receive. */
  caused: Caused;
  /** Uploads that gave up, and responses that no kill explains. */
  complaints: string[];
}

export interface Load {
  ledger: Ledger;
  /** How many files, and how many requests with events, are in flight. */
  sending: () => { files: number; events: number };
  /** Starts no more work and waits for what is in flight. */
  stop: () => Promise<void>;
}

const backoffMs = 300;
const maxRuns = 4;

/**
 * Uploads recordings in a loop, as the command line does, from all devices concurrently; also writes events and curates
 * datasets.
 */
export function startLoad(
  product: Product,
  fleet: Fleet,
  recordings: MadeRecording[],
  chance: Chance,
  pauseMs: number,
): Load {
  const ledger: Ledger = {
    uploaded: new Map(),
    created: new Set(),
    acknowledged: new Map(),
    unknown: new Map(),
    caused: { certain: new Set(), possible: new Set() },
    complaints: [],
  };
  let stopping = false;
  let [files, events, marks] = [0, 0, 0];

  const uploader = async (n: number) => {
    const device = fleet.devices[n]!;
    for (let round = 0; !stopping; round++) {
      const made = recordings[(round * fleet.devices.length + n) % recordings.length]!;
      const byToken = (round + n) % 2 === 0;
      const plan: UploadPlan = {
        origin: product.url,
        credential: byToken ? { header: "x-service-device-token", secret: device.token } : fleet.key,
        device: byToken ? undefined : device.uid,
        files: [made.file],
        name: undefined,
        tags: [],
        wait: false,
        stateFolder: path.join(product.dataDir, "uploaders", String(n)),
        backoffMs,
      };
      const screen = { line: () => {}, begin: () => void files++, progress: () => {}, end: () => void files-- };
      // As on a robot, repeating the command resumes the upload that gave up.
      for (let left = maxRuns; left > 0; left--) {
        try {
          const { recording } = await runUpload(plan, screen);
          ledger.uploaded.set(recording, { made, device: device.uid });
          break;
        } catch (error) {
          if (left === 1 || error instanceof ApiError)
            ledger.complaints.push(`robot ${n} gave up an upload: ${String(error)}`);
          if (error instanceof ApiError) break;
        }
      }
      await sleep(chance.between(0.5, 1.5) * pauseMs);
    }
  };

  const request = createRequester(product, fleet.key, ledger.complaints);
  const writer = async (n: number) => {
    const device_id = fleet.devices[n % fleet.devices.length]!.uid;
    let recording: string | undefined;
    for (let round = 0; !stopping; round++) {
      if (recording === undefined || round % 25 === 0) {
        const body = await readDocument<{ uid: string }>(await request("POST", "/fleet/recordings/", { device_id }));
        if (body) ledger.created.add((recording = body.uid));
        if (recording === undefined) await sleep(200);
        if (recording === undefined) continue;
      }
      const mark = `mark-${marks++}`;
      const count = round % 3 === 0 ? 1 : 40;
      const event = (of: number) => ({
        type: "info",
        label: mark,
        timestamp: new Date(1_760_000_000_000 + of).toISOString(),
        metadata: { mark, of },
        tags: [mark],
      });
      events++;
      const response =
        count === 1
          ? await request("POST", "/fleet/events/", { recording_id: recording, ...event(0) })
          : await request("POST", "/fleet/events/batch/", {
              recording_id: recording,
              events: Array.from({ length: count }, (_, of) => event(of)),
            });
      events--;
      (response ? ledger.acknowledged : ledger.unknown).set(mark, { recording, count });
      await response?.body?.cancel().catch(() => {});
      await sleep(response ? chance.between(20, 100) : 200);
    }
  };

  const running = [...fleet.devices.keys()].map(uploader);
  running.push(writer(0), writer(1));
  const uploaded = () => [...ledger.uploaded.keys()];
  const curator = (n: number) =>
    curate({ n, request, chance, caused: ledger.caused, uploaded, stopping: () => stopping });
  running.push(curator(0), curator(1));
  return {
    ledger,
    sending: () => ({ files, events }),
    stop: async () => {
      stopping = true;
      await Promise.all(running);
    },
  };
}
