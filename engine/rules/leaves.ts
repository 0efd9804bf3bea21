import { listLeaves, type Condition } from "@/domain/conditions/condition";
import { topicMatcher } from "@/domain/conditions/expressions";
import { otherName, parsePath, type PathStep } from "@/domain/conditions/path";
import { getKind } from "@/domain/conditions/registry";
import type { LeafCondition } from "@/domain/conditions/schema-registry";

/** The steps of the field a leaf reads; null where the times of messages are enough. */
function fieldSteps(leaf: LeafCondition): PathStep[] | null {
  const read = getKind(leaf).reads(leaf);
  return read && parsePath(read.field, leaf.topic);
}

/** The keys at the beginning of a path, before its first index, slice or filter. */
function leadingKeys(steps: readonly PathStep[]): string[] {
  const keys: string[] = [];
  for (const step of steps) {
    if (step.kind !== "key") break;
    keys.push(step.key);
  }
  return keys;
}

const startsWith = (path: readonly string[], prefix: readonly string[]): boolean =>
  prefix.length <= path.length && prefix.every((key, index) => path[index] === key);

/** The shortest of the paths that together cover all of them. */
export function outermost(paths: readonly string[][]): string[][] {
  const shortest: string[][] = [];
  for (const path of [...paths].sort((a, b) => a.length - b.length)) {
    if (!shortest.some((prefix) => startsWith(path, prefix))) shortest.push(path);
  }
  return shortest;
}

/** Whether every one of `wanted` lies at or below one of `held`. */
export const covers = (held: readonly string[][], wanted: readonly string[][]): boolean =>
  wanted.every((path) => held.some((prefix) => startsWith(path, prefix)));

/**
 * Returns, for a topic, which parts of its messages some conditions read: key paths, or `[[]]` for the complete
 * message.
 */
export function listReads(conditions: readonly Condition[]): (topic: string) => string[][] {
  const leaves = conditions
    .flatMap((condition) => listLeaves(condition))
    .flatMap((leaf) => {
      const steps = fieldSteps(leaf);
      return steps === null ? [] : [{ matches: topicMatcher(leaf.topic), keys: leadingKeys(steps) }];
    });
  return (topic) => outermost(leaves.flatMap(({ matches, keys }) => (matches(topic) ? [keys] : [])));
}

/** The top-level members of messages that some parts lie in; undefined when all of the message is needed. */
export function topLevel(paths: readonly string[][]): ReadonlySet<string> | undefined {
  const names = paths.map(([first]) => first);
  if (names.includes(undefined)) return undefined;
  return new Set((names as string[]).flatMap((name) => [name, otherName(name) ?? name]));
}
