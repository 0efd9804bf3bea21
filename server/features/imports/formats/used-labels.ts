import { readLimits, type ReadAnnotation, type ReadLabel } from "@/server/features/imports/formats/annotation-file";
import { BadAnnotationFile } from "@/server/features/imports/formats/annotation-file";

/** Labels by name: those that a file describes, and those that its annotations use beside them. */
export class LabelList {
  private readonly described = new Map<string, ReadLabel>();
  private readonly used = new Map<string, Set<ReadAnnotation["type"]>>();

  /** The first description of a name stays. */
  add(label: ReadLabel): void {
    if (this.described.has(label.name)) return;
    this.limit();
    this.described.set(label.name, label);
  }

  use(annotations: readonly ReadAnnotation[]): void {
    for (const { label, type } of annotations) {
      if (this.described.has(label)) continue;
      const types = this.used.get(label) ?? new Set();
      if (types.size === 0) this.limit();
      this.used.set(label, types.add(type));
    }
  }

  list(): ReadLabel[] {
    return [...this.described.values(), ...Array.from(this.used, ([name, types]) => ({ name, types: [...types] }))];
  }

  private limit(): void {
    if (this.described.size + this.used.size >= readLimits.labels)
      throw new BadAnnotationFile(`The file has more than ${readLimits.labels} labels.`);
  }
}
