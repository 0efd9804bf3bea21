import type { Label, LabelInput } from "@/domain/projects/label-schema";

interface Numbered {
  labels: readonly Label[];
  /** Above the number of every label that the project ever had. */
  nextNumber: number;
}

type Change = { labels: Label[]; nextNumber: number } | { wrong: { at: number; message: string }[] };

/** The labels of `before` that a list does not name. */
export const listLeftOut = (before: readonly Label[], given: readonly LabelInput[]): Label[] => {
  const named = new Set(given.map((label) => findLabel(before, label)?.id));
  return before.filter(({ id }) => !named.has(id));
};

const findLabel = (labels: readonly Label[], { id, name }: LabelInput): Label | undefined =>
  labels.find((label) => (id === undefined ? label.name === name : label.id === id));

/**
 * The labels of a project after a change to the given list. Each keeps its id and number, also when it gets another name,
 * which becomes an alias; new ones get the next number. One that the list leaves out is retired if it is in use, because
 * results and drafts name it, and removed otherwise. `wrong` names labels that do not exist or share a name.
 */
export function changeLabels(
  { labels: before, nextNumber }: Numbered,
  given: readonly LabelInput[],
  isUsed: (label: Label) => boolean,
): Change {
  const wrong: { at: number; message: string }[] = [];
  let next = Math.max(nextNumber, ...before.map(({ number }) => number + 1));
  const labels = given.map((label, at): Label => {
    const old = findLabel(before, label);
    if (!old && label.id !== undefined) wrong.push({ at, message: "id: The project has no label of this id." });
    const number = old?.number ?? next++;
    const renamed = old && old.name !== label.name ? [old.name] : [];
    const aliases = [...(old?.aliases ?? []), ...renamed].filter((alias) => alias !== label.name);
    return { ...label, id: old?.id ?? String(number), number, aliases };
  });
  const kept = listLeftOut(before, given)
    .filter(isUsed)
    .map((label) => ({ ...label, retired: true }));
  const all = [...labels, ...kept];
  for (const [at, { id, name }] of labels.entries()) {
    const isTaken = all.some(
      (other, place) => place !== at && (other.id === id || other.name === name || other.aliases.includes(name)),
    );
    if (isTaken) wrong.push({ at, message: "name: Every label may be named once only." });
  }
  return wrong.length > 0 ? { wrong } : { labels: all, nextNumber: next };
}
