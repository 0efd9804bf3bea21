/**
 * The thread that reads the points of a file and gives them to the thread that draws them, so that the page never waits
 * for either. Built by scripts/page-workers.mjs.
 */
import { expose } from "comlink";
import type { SceneFeed } from "@/components/scene/scene-feed";
import { readPcd } from "@/engine/clouds/pcd";
import { readPly } from "@/engine/clouds/ply";
import { UnreadablePoints } from "@/engine/clouds/points-file";
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

const thread = {
  /** Reads a file and sends its points through a port. Throws with the reason when they cannot be read. */
  async open(
    url: string,
    isPly: boolean,
    maxPoints: number,
    figures: Figures[],
    port: MessagePort,
  ): Promise<ReadCloud> {
    const response = await fetch(url, { credentials: "same-origin" });
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const { cloud, total, step } = (isPly ? readPly : readPcd)(bytes, maxPoints);
    if (cloud.count === 0) throw new UnreadablePoints("The point cloud has no points.");
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
