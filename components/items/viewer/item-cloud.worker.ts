/**
 * The thread that reads the points of a file and gives them to the thread that draws them, so that the page never waits
 * for either. Built by scripts/page-workers.mjs.
 */
import { expose } from "comlink";
import type { SceneFeed } from "@/components/recording/thread/scene-feed";
import { readPcd } from "@/engine/messages/clouds/pcd-file";
import { readPly } from "@/engine/messages/clouds/ply";
import { UnreadablePoints } from "@/engine/messages/clouds/points-file";
import type { Figures } from "@/engine/messages/scene-object";
import { cloudTopic, shapesTopic } from "./cloud-topics";

/** What the page shows of a file that was read. */
export interface ReadCloud {
  points: number;
  total: number;
  /** Every which point was read. */
  step: number;
  fields: string[];
}

/** Where the clouds of a sequence are sent, and the number of the one that is shown there. */
let sequence: { port: MessagePort; shown: bigint | null } | null = null;

async function readCloud(url: string, isPly: boolean | null, maxPoints: number) {
  const response = await fetch(url, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  const found = ((isPly ?? isPlyFile(bytes)) ? readPly : readPcd)(bytes, maxPoints);
  if (found.cloud.count === 0) throw new UnreadablePoints("The point cloud has no points.");
  return found;
}

const isPlyFile = ([first, second, third]: Uint8Array): boolean => first === 112 && second === 108 && third === 121;

const thread = {
  /** Begins a sequence, whose clouds are sent through a port. */
  begin(port: MessagePort): void {
    sequence = { port, shown: null };
  },

  /** Reads a file of a sequence and shows it in place of the one before. Throws with the reason when it cannot be read. */
  async show(url: string, maxPoints: number): Promise<void> {
    const { cloud } = await readCloud(url, null, maxPoints);
    if (!sequence) return;
    const { port, shown } = sequence;
    const time = (shown ?? -1n) + 1n;
    const send = (feed: SceneFeed, transfer: Transferable[] = []) => port.postMessage(feed, transfer);
    send({ type: "message", topic: cloudTopic, time, objects: [cloud], notes: [] }, [cloud.data.buffer]);
    if (shown !== null) send({ type: "remove", topic: cloudTopic, times: [shown] });
    send({ type: "moment", at: time });
    sequence.shown = time;
  },

  /** Reads a file and sends its points through a port. Throws with the reason when they cannot be read. */
  async open(
    url: string,
    isPly: boolean,
    maxPoints: number,
    figures: Figures[],
    port: MessagePort,
  ): Promise<ReadCloud> {
    const { cloud, total, step } = await readCloud(url, isPly, maxPoints);
    const send = (feed: SceneFeed, transfer: Transferable[] = []) => port.postMessage(feed, transfer);
    const read = { points: cloud.count, total, step, fields: cloud.fields.map(({ name }) => name) };
    send({ type: "message", topic: cloudTopic, time: 0n, objects: [cloud], notes: [] }, [cloud.data.buffer]);
    if (figures.length > 0) send({ type: "figures", topic: shapesTopic, time: 0n, figures, notes: [] });
    send({ type: "moment", at: 0n });
    return read;
  },
};
export type CloudThread = typeof thread;

expose(thread);
