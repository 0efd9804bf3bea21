/** Fields described per topic at most. */
export const MAX_FIELDS = 500;
/** Nesting of paths. */
export const MAX_DEPTH = 16;
/** Elements of a list that are fields, and its length from which on none is: it is a scan, not a robot's joints. */
export const MAX_ELEMENTS = 64;
export const MAX_LENGTH = 256;
/** Characters of a path; fields with longer ones are left out. */
export const MAX_PATH = 512;

type FieldKind = "number" | "boolean" | "string" | "enum" | "time";

/** One scalar value of a topic's messages. */
export interface FieldInfo {
  /** `pose.position.x`, `data[0]`, `["odd key"].x`. */
  path: string;
  kind: FieldKind;
  unit?: string;
  /** Names of the values of an enum. */
  enumValues?: Record<number, string>;
  /** The slot holds the nanoseconds of a time, whose seconds are in the slot before. */
  isFraction?: true;
}

/**
 * Types that had no field to list at some depth, or no room for it: they have none later, when both are less. Without it,
 * types that use each other repeatedly would be searched along each of exponentially many paths.
 */
export class FieldlessTypes<Type> {
  private readonly depths = new Map<Type, number>();

  has(type: Type, depth: number): boolean {
    return depth >= (this.depths.get(type) ?? Infinity);
  }

  add(type: Type, depth: number): void {
    if (!this.has(type, depth)) this.depths.set(type, depth);
  }
}
