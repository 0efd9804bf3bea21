import type { SceneTopic } from "@/components/recording/thread/scene-feed";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { compose, invert } from "@/engine/messages/pose";
import { TransformReader } from "@/engine/messages/poses/transform-reader";
import { TransformTree, type Located } from "@/engine/messages/poses/transform-tree";
import { RobotFeed } from "./robot-feed";
import { playheadReach } from "./transform-reach";

/** Nanoseconds of transforms before the moment that are retained. */
const retained = 12_000_000_000n;

/** Where frames of a recording are seen from each other around a moment. */
export class FrameLocator {
  private readonly tree = new TransformTree();
  private readonly transforms: TransformReader;
  private readonly robots: RobotFeed;

  constructor(topics: readonly SceneTopic[], chunks: ChunkReader, decoders: MessageDecoders) {
    this.transforms = new TransformReader(topics, chunks, decoders, playheadReach);
    this.robots = new RobotFeed(topics, chunks, decoders, (feed) => {
      if (feed.type === "joints") this.tree.setDefaults(feed.list);
    });
  }

  /** The topics whose next chunks are needed. */
  get topics(): readonly string[] {
    return [...this.transforms.moving, ...this.robots.topics];
  }

  /** Reads what is known around a moment. */
  async update(moment: bigint): Promise<void> {
    await Promise.all([this.takeTransforms(moment), this.robots.update(moment)]);
    this.tree.forgetBefore(moment - retained);
  }

  /**
   * Where `frame` of one moment is, seen from `from` of another: between the two, what moves is followed in the root of most
   * frames, as it is in a 3-D view. A text says why that is not known.
   */
  locate(frame: string, at: bigint, from: string, seenAt: bigint): Located {
    const direct = this.tree.locate(frame, from, seenAt);
    const root = this.tree.findRoot();
    if (!("pose" in direct) || root === null) return direct;
    const [own, other] = [this.tree.locate(frame, root, at), this.tree.locate(from, root, seenAt)];
    return "pose" in own && "pose" in other ? { pose: compose(invert(other.pose), own.pose) } : direct;
  }

  private async takeTransforms(moment: bigint): Promise<void> {
    for await (const read of this.transforms.read(moment)) this.tree.take(read);
  }
}
