import { compose, identity, interpolate, invert, type Pose } from "@/engine/messages/pose";
import type { Transform } from "@/engine/messages/poses/transforms";

/** The poses of a frame seen from its parent, by their stamps. */
interface Link {
  parent: string;
  stamps: bigint[];
  poses: Pose[];
  /** Holds at any time. */
  fixed: Pose | null;
}

/** A frame as a list shows it. */
export interface FrameState {
  name: string;
  /** Null for a root. */
  parent: string | null;
  /** The newest stamp; null for one that holds at any time, and for a root. */
  newest: bigint | null;
}

export type Located = { pose: Pose } | { reason: string };

/** A transform with the moment that it is for, by the clock of the recording, in nanoseconds since 1970. */
export interface TimedTransform {
  transform: Transform;
  stamp: bigint;
  /** Whether it holds at any time. */
  isFixed: boolean;
}

/** Transforms that were read, and what was wrong with them. With `isJump` what moved before is to be forgotten. */
export interface ReadTransforms {
  isJump: boolean;
  list: TimedTransform[];
  notes: string[];
}

/** How many links a way may have: more is no robot. */
const maxDepth = 1_000;
const maxFrames = 100_000;

/** Names such as `camera_front`, `cam0` and `left/optical_frame`. */
const cameraName = /(?:^|[/_-])(?:cam|camera|optical)(?:\d|[/_-]|$)/i;

function findLargest(roots: ReadonlyMap<string, number>): string | null {
  const weigh = ([name, count]: readonly [string, number]) =>
    (name === "map" ? 2e9 : name === "odom" ? 1e9 : 0) + count;
  return [...roots].sort((a, b) => weigh(b) - weigh(a))[0]?.[0] ?? null;
}

/** Where frames are seen from each other, at any moment of which transforms are known. */
export class TransformTree {
  private readonly links = new Map<string, Link>();
  /** Where joints of a robot are, for links of which no transform is known. */
  private defaults = new Map<string, Link>();
  private readonly problems = new Map<string, string>();

  /** Adds a transform; one that is fixed holds at any time. Later ones of the same stamp and child win. */
  add({ parent, child, pose }: Transform, stamp: bigint, isFixed: boolean): void {
    if (parent === child) {
      this.problems.set(child, `the frame ${child} is its own parent`);
      return;
    }
    let link = this.links.get(child);
    if (link !== undefined && link.parent !== parent) {
      this.problems.set(child, `${child} has two parents: ${link.parent} and ${parent}; ${parent} counts`);
      link = undefined;
    }
    if (link === undefined) {
      if (this.links.size >= maxFrames) return;
      this.links.set(child, (link = { parent, stamps: [], poses: [], fixed: null }));
    }
    if (isFixed) link.fixed = pose;
    else insert(link, stamp, pose);
  }

  /** Adds what was read. */
  take({ isJump, list }: Pick<ReadTransforms, "isJump" | "list">): void {
    if (isJump) this.forgetMoving();
    for (const { transform, stamp, isFixed } of list) this.add(transform, stamp, isFixed);
  }

  /** Says where frames are that have no transform of their own. */
  setDefaults(transforms: readonly Transform[]): void {
    this.defaults = new Map(
      transforms
        .slice(0, maxFrames)
        .map(({ parent, child, pose }) => [child, { parent, stamps: [], poses: [], fixed: pose }]),
    );
  }

  /** Forgets what moves and lets what is fixed stand, as after a jump to another moment. */
  forgetMoving(): void {
    this.problems.clear();
    for (const [child, link] of this.links) {
      if (link.fixed === null) this.links.delete(child);
      else [link.stamps, link.poses] = [[], []];
    }
  }

  /** Forgets what is older than a moment, but for the last of each frame. */
  forgetBefore(stamp: bigint): void {
    for (const link of this.links.values()) {
      const old = countUpTo(link.stamps, stamp) - 1;
      if (old > 0) {
        link.stamps.splice(0, old);
        link.poses.splice(0, old);
      }
    }
  }

  has(frame: string): boolean {
    return this.find(frame) !== undefined || this.listLinks().some(([, { parent }]) => parent === frame);
  }

  /** Where `frame` is, seen from `from`, at a moment; or why that is not known. */
  locate(frame: string, from: string, at: bigint): Located {
    if (frame === from) return { pose: identity };
    const [own, other] = [this.climb(frame, at), this.climb(from, at)];
    for (const way of [own, other]) if (typeof way === "string") return { reason: way };
    if (typeof own === "string" || typeof other === "string") return { reason: "" };
    for (const [name, pose] of own) {
      const back = other.get(name);
      if (back !== undefined) return { pose: compose(invert(back), pose) };
    }
    return { reason: this.explain(frame, from) };
  }

  /** Every frame that is known, by its name. */
  list(): FrameState[] {
    const names = new Set<string>();
    for (const [child, { parent }] of this.listLinks()) names.add(child).add(parent);
    return [...names].sort().map((name) => {
      const link = this.find(name);
      return { name, parent: link?.parent ?? null, newest: link?.stamps.at(-1) ?? null };
    });
  }

  /** The root of the most frames; `map` and `odom` first. Null without frames. */
  findRoot(): string | null {
    return findLargest(this.countTrees());
  }

  /**
   * The frame from which things in the frames `drawn` are seen: the root of the largest tree that has one of them, `map`
   * and `odom` first. A frame without a transform is a tree of its own. A camera's frame only where there is no other; null
   * where there is none at all.
   */
  suggestRoot(drawn: Iterable<string>): string | null {
    const trees = this.countTrees();
    const used = new Map<string, number>();
    for (const frame of drawn) {
      const root = this.climbToRoot(frame);
      if (frame !== "") used.set(root, trees.get(root) ?? 0);
    }
    const still = (of: ReadonlyMap<string, number>) => new Map([...of].filter(([name]) => !cameraName.test(name)));
    return findLargest(still(used)) ?? findLargest(still(trees)) ?? findLargest(used) ?? findLargest(trees);
  }

  /** Whether no transforms lead from one frame to the other, rather than wrong ones. */
  areApart(one: string, other: string): boolean {
    const [way, back] = [this.climb(one, 0n), this.climb(other, 0n)];
    return typeof way !== "string" && typeof back !== "string" && ![...way.keys()].some((name) => back.has(name));
  }

  /** What is wrong with the transforms themselves. */
  listProblems(): string[] {
    return [...this.problems.values()].slice(0, 20);
  }

  /** The pose of a frame seen from each of its ancestors, itself first; or why it cannot be said. */
  private climb(frame: string, at: bigint): Map<string, Pose> | string {
    const found = new Map<string, Pose>([[frame, identity]]);
    let [name, pose]: [string, Pose] = [frame, identity];
    for (let depth = 0; ; depth++) {
      const link = this.find(name);
      if (link === undefined) return found;
      pose = compose(getPose(link, at), pose);
      if (found.has(link.parent) || depth > maxDepth)
        return `the transforms of ${[...found.keys()].slice(0, 5).join(" → ")} go in a circle`;
      found.set((name = link.parent), pose);
    }
  }

  /** How many frames are below each root. */
  private countTrees(): Map<string, number> {
    const roots = new Map<string, number>();
    for (const [child] of this.listLinks()) {
      const root = this.climbToRoot(child);
      roots.set(root, (roots.get(root) ?? 0) + 1);
    }
    return roots;
  }

  private climbToRoot(frame: string): string {
    let root = frame;
    for (let depth = 0; depth < maxDepth; depth++) {
      const link = this.find(root);
      if (link === undefined) break;
      root = link.parent;
    }
    return root;
  }

  private find(child: string): Link | undefined {
    return this.links.get(child) ?? this.defaults.get(child);
  }

  private listLinks(): [child: string, Link][] {
    return [...this.links, ...[...this.defaults].filter(([child]) => !this.links.has(child))];
  }

  private explain(frame: string, from: string): string {
    const missing = !this.has(frame) ? frame : !this.has(from) ? from : null;
    const known = this.list().map(({ name }) => name);
    const names = known.slice(0, 8).join(", ") + (known.length > 8 ? ", …" : "");
    const cause = missing === null ? `${frame} and ${from} are in separate trees` : `${missing} is not connected`;
    return `no transform ${frame} ← ${from}: ${cause} (known: ${names || "none"})`;
  }
}

function insert(link: Link, stamp: bigint, pose: Pose): void {
  const at = countUpTo(link.stamps, stamp);
  if (link.stamps[at - 1] === stamp) {
    link.poses[at - 1] = pose;
    return;
  }
  link.stamps.splice(at, 0, stamp);
  link.poses.splice(at, 0, pose);
}

/** Between the two stamps around a moment; the nearest beyond them. What moves wins over what is fixed. */
function getPose({ stamps, poses, fixed }: Link, at: bigint): Pose {
  const after = countUpTo(stamps, at);
  if (stamps.length === 0) return fixed ?? identity;
  if (after === 0) return poses[0]!;
  if (after === stamps.length) return poses[after - 1]!;
  const [from, to] = [stamps[after - 1]!, stamps[after]!];
  return interpolate(poses[after - 1]!, poses[after]!, Number(at - from) / Number(to - from));
}

/** How many stamps are at or before a moment. */
function countUpTo(stamps: readonly bigint[], at: bigint): number {
  let [low, high] = [0, stamps.length];
  // New stamps are mostly the latest.
  if (high > 0 && stamps[high - 1]! <= at) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stamps[middle]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
