import type { SceneFeed, SceneTopic } from "@/components/scene/scene-feed";
import type { ChunkReader } from "@/engine/formats/chunk-reader";
import type { MessageDecoders } from "@/engine/messages/message-decoders";
import { compose, invert } from "@/engine/messages/pose";
import { TransformTree, type Located } from "@/engine/messages/transform-tree";
import { isTransformSchema } from "@/engine/messages/transforms";
import { RobotFeed } from "./robot-feed";
import { TransformFeed } from "./transform-feed";

/** Nanoseconds of transforms before the moment that are retained. */
const retained = 12_000_000_000n;

/** Where frames of a recording are seen from each other around a moment. */
export class FrameLocator {
  private readonly tree = new TransformTree();
  private readonly transforms: TransformFeed;
  private readonly robots: RobotFeed;

  constructor(topics: readonly SceneTopic[], chunks: ChunkReader, decoders: MessageDecoders) {
    const take = (feed: SceneFeed) => this.take(feed);
    const own = topics.filter(({ schema }) => isTransformSchema(schema));
    this.transforms = new TransformFeed(own, chunks, decoders, take);
    this.robots = new RobotFeed(topics, chunks, decoders, take);
  }

  /** The topics whose next chunks are needed. */
  get topics(): readonly string[] {
    return [...this.transforms.topics, ...this.robots.topics];
  }

  /** Reads what is known around a moment. */
  async update(moment: bigint): Promise<void> {
    await Promise.all([this.transforms.update(moment), this.robots.update(moment)]);
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

  private take(feed: SceneFeed): void {
    if (feed.type === "joints") this.tree.setDefaults(feed.list);
    if (feed.type !== "transforms") return;
    if (feed.isJump) this.tree.forgetMoving();
    for (const { transform, stamp, isFixed } of feed.list) this.tree.add(transform, stamp, isFixed);
  }
}
