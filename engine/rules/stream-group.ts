import { z } from "zod";
import { isComposite, listLeaves, type CompositeCondition, type Condition } from "@/domain/conditions/condition";
import type { LeafEvidence } from "@/domain/conditions/schema-registry";
import { durationOrZero } from "@/domain/time/duration";
import { countSamples } from "@/engine/rules/evidence";
import { LeafStream } from "@/engine/rules/stream-leaf";
import { Extension, savedExtension, savedSpan, type Span } from "@/engine/rules/stream-span";
import { no, unknown, yes, type Truth } from "@/engine/rules/truth";

type StreamNode = LeafStream | GroupStream;

interface Child {
  node: StreamNode;
  held: Extension;
}

const savedGroup = z.object({
  /** What all or any of the parts hold now, and the part it is the span of. */
  combined: z.object({ span: savedSpan, from: z.int() }).nullable(),
  kept: savedExtension,
  held: z.array(savedExtension),
});
type GroupState = z.output<typeof savedGroup>;

/** A composite on a stream. */
class GroupStream {
  readonly children: readonly Child[];
  private combined: GroupState["combined"] = null;
  private readonly kept: Extension;

  constructor(
    private readonly condition: CompositeCondition,
    nodes: readonly StreamNode[],
  ) {
    const hold = durationOrZero(condition.hold);
    this.children = nodes.map((node) => ({ node, held: new Extension(hold) }));
    this.kept = new Extension(durationOrZero(condition.keep_for));
  }

  /** What holds now. */
  get span(): Span | null {
    return this.kept.span;
  }

  /**
   * False where one part of `and` or all parts of `or` are known to be, else unknown unless it holds. Parts of `or` about
   * what the device has never sent say nothing: what it sends by one of several names is known by that name.
   */
  get truth(): Truth {
    if (this.kept.span) return yes;
    const isFalse = ({ node, held }: Child) => held.span === null && node.truth === no;
    if (this.condition.operator === "and") return this.children.some(isFalse) ? no : unknown;
    const sent = this.children.filter(({ node }) => node.hasCome);
    return sent.length > 0 && sent.every(isFalse) ? no : unknown;
  }

  /** Whether what it looks at has ever come, as far as it could hold. */
  get hasCome(): boolean {
    const { children, condition } = this;
    return condition.operator === "and"
      ? children.every(({ node }) => node.hasCome)
      : children.some(({ node }) => node.hasCome);
  }

  /** The next instant at which something ends that is extended. */
  get nextAt(): bigint {
    return this.children.reduce((least, { held }) => (held.nextAt < least ? held.nextAt : least), this.kept.nextAt);
  }

  /** To be called at every instant at which something changes, once the leaves and inner groups have. */
  update(at: bigint): void {
    for (const { node, held } of this.children) held.update(at, node.span);
    const spans = this.children.map(({ held }) => held.span);
    const holds = this.condition.operator === "and" ? !spans.includes(null) : spans.some((span) => span !== null);
    if (!holds) this.combined = null;
    else if (this.combined === null) this.begin(at, spans);
    else this.raisePeak(this.combined, spans);
    this.kept.update(at, this.combined?.span ?? null);
  }

  // The part that came last made `and` hold, and the one that came first made `or` hold.
  private begin(at: bigint, spans: readonly (Span | null)[]): void {
    let from = -1;
    for (const [index, span] of spans.entries()) {
      if (span && (from < 0 || span.triggeredAt > spans[from]!.triggeredAt)) from = index;
    }
    this.combined = { from, span: { ...spans[from]!, startedAt: at, triggeredAt: at } };
    this.raisePeak(this.combined, spans);
  }

  private raisePeak({ span, from }: NonNullable<GroupState["combined"]>, spans: readonly (Span | null)[]): void {
    for (const [index, part] of spans.entries()) {
      if (!part || (this.condition.operator === "and" && index !== from)) continue;
      if (part.extent > span.extent) [span.peak, span.extent] = [part.peak, part.extent];
    }
  }

  /** Forgets what has begun to hold since `before`; the leaves and inner groups have, too. */
  forget(before: bigint): void {
    if (this.combined && this.combined.span.triggeredAt > before) this.combined = null;
    for (const extended of [this.kept, ...this.children.map(({ held }) => held)]) {
      if (extended.span && extended.span.triggeredAt > before) extended.load(null);
    }
  }

  /** Safe for JSON. */
  save(): unknown {
    const held = this.children.map((child) => child.held.save());
    return savedGroup.encode({ combined: this.combined, kept: this.kept.save(), held });
  }

  /** Goes on from what `save` returned, or begins where it is null. Throws a ZodError for anything else. */
  load(saved: unknown): void {
    const state = saved === null ? null : savedGroup.decode(saved as z.input<typeof savedGroup>);
    this.combined = state?.combined ?? null;
    this.kept.load(state?.kept ?? null);
    for (const [index, { held }] of this.children.entries()) held.load(state?.held[index] ?? null);
  }
}

/** A rule's condition on a stream, with its leaves as they are written, and its groups, inner ones first. */
export interface ConditionStream {
  root: StreamNode;
  leaves: LeafStream[];
  groups: GroupStream[];
}

/** How many samples the conditions of one rule retain to compare later ones with. */
const retainedSamples = 1_000;

export function planStream(condition: Condition): ConditionStream {
  const leaves: LeafStream[] = [];
  const groups: GroupStream[] = [];
  const count = listLeaves(condition).length;
  const limits = {
    samples: Math.ceil(countSamples(count) / 2),
    retained: Math.max(50, Math.min(250, Math.floor(retainedSamples / count))),
  };
  const plan = (part: Condition, path: string): StreamNode => {
    if (!isComposite(part)) {
      const leaf = new LeafStream(part, path, limits);
      leaves.push(leaf);
      return leaf;
    }
    const below = path === "" ? "" : `${path}.`;
    const nodes = part.conditions.map((child, index) => plan(child, `${below}conditions.${index}`));
    const group = new GroupStream(part, nodes);
    groups.push(group);
    return group;
  };
  return { root: plan(condition, ""), leaves, groups };
}

/** The evidence of each leaf, as it is now. */
export function leafEvidence({ root, leaves, groups }: ConditionStream): LeafEvidence[] {
  const holding = new Set<StreamNode>(root.span ? [root] : []);
  for (const { children } of groups) for (const { node, held } of children) if (held.span) holding.add(node);
  return leaves.map((leaf) => leaf.evidence(holding.has(leaf)));
}
