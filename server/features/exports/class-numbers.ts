import type { Label } from "@/domain/projects/label-schema";

/** The numbers of classes by name, former names too. */
export type ClassNumbers = ReadonlyMap<string, number>;

/** The classes of an export. */
export interface Classes {
  /** By their numbers. */
  names: readonly string[];
  numbers: ClassNumbers;
  /** By their numbers; none of those that only results name. */
  labels: ReadonlyMap<number, Label>;
}

/**
 * Numbers the classes of an export. The labels of the first project have their own numbers, so that they stay the same
 * when labels are added, removed or renamed; a number that no label has any more keeps its place. Those of further
 * projects follow, then what only results name. Retired labels are classes as long as results have them.
 */
export function numberClasses(projects: readonly (readonly Label[])[], named: readonly string[]): Classes {
  const names: string[] = [];
  const numbers = new Map<string, number>();
  const known = new Map<number, Label>();
  const add = (name: string, number = names.length) => {
    if (numbers.has(name)) return;
    for (let gap = names.length; gap < number; gap += 1) names[gap] = `class ${gap}`;
    names[number] = name;
    numbers.set(name, number);
  };
  for (const [at, labels] of projects.entries())
    for (const label of labels.toSorted((one, other) => one.number - other.number)) {
      add(label.name, at === 0 ? label.number : undefined);
      const number = numbers.get(label.name) ?? 0;
      if (!known.has(number)) known.set(number, label);
    }
  for (const { name, aliases } of projects.flat())
    for (const alias of aliases) if (!numbers.has(alias)) numbers.set(alias, numbers.get(name) ?? 0);
  for (const name of named) add(name);
  return { names, numbers, labels: known };
}
