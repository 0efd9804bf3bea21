import { BadAnnotationFile, type LeftOut, type PictureSize } from "@/server/features/imports/formats/annotation-file";

/** A value that no file of the format may have; the message has no place. */
export class BadValue extends Error {
  override readonly name = "BadValue";
}

/** Numbers of coordinates, as annotations may have them. */
const maxNumber = 1e7;
/** The side of the largest picture that a mask can be of. */
const maxSide = 100_000;
const maxLabelLength = 1_000;
/** Reasons that are named for one picture. */
const maxReasons = 20;

/** Says where in the file a bad value is. */
export function inPlace<T>(place: () => string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof BadValue ? new BadAnnotationFile(`${place()}: ${error.message}`) : error;
  }
}

export function readNumber(value: unknown, name: string): number {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) throw new BadValue(`${name} is no number.`);
  if (Math.abs(number) > maxNumber) throw new BadValue(`${name} is not between -10,000,000 and 10,000,000.`);
  return number;
}

export function readLength(value: unknown, name: string): number {
  const number = readNumber(value, name);
  if (number < 0) throw new BadValue(`${name} is negative.`);
  return number;
}

export function readWhole(value: unknown, name: string, max = maxNumber): number {
  const number = readNumber(value, name);
  if (!Number.isInteger(number) || number < 0 || number > max)
    throw new BadValue(`${name} is no whole number from 0 to ${max}.`);
  return number;
}

/** The size of a picture; null where it is not there. */
export function readSize(width: unknown, height: unknown): PictureSize | null {
  if (width === undefined || width === null || height === undefined || height === null) return null;
  const size = { width: readWhole(width, "The width"), height: readWhole(height, "The height") };
  if (size.width < 1 || size.height < 1 || size.width > maxSide || size.height > maxSide)
    throw new BadValue(`A picture of ${size.width} by ${size.height} pixels is none.`);
  return size;
}

export function readName(value: unknown, name: string): string {
  if (typeof value !== "string" || value.trim() === "") throw new BadValue(`${name} is missing or empty.`);
  if (value.length > maxLabelLength) throw new BadValue(`${name} is longer than ${maxLabelLength} characters.`);
  return value;
}

/** Keys that would reach into the prototype of objects. */
const refusedKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Attributes as a file has them; nothing of what is none. */
export const readAttributes = (value: unknown): Record<string, unknown> =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !refusedKeys.has(key))) : {};

/** Counts what is left out of a picture. */
export class Omissions {
  private readonly counts = new Map<string, number>();

  add(reason: string, count = 1): void {
    if (count === 0) return;
    const kept = this.counts.has(reason) || this.counts.size < maxReasons ? reason : "Left out for further reasons.";
    this.counts.set(kept, (this.counts.get(kept) ?? 0) + count);
  }

  list(): LeftOut[] {
    return Array.from(this.counts, ([reason, count]) => ({ reason, count }));
  }
}
