import { refusalOfPath } from "@/domain/uploads/file-path";
import { BadValue } from "@/server/features/imports/formats/values";

const maxNameLength = 1_024;

/**
 * The name of a picture as a path below some folder: of an absolute path or an address its parts. Throws BadValue for one
 * that leads out of it.
 */
export function toPictureName(text: string): string {
  if (text.length > maxNameLength)
    throw new BadValue(`The name of a picture is longer than ${maxNameLength} characters.`);
  const parts = text
    .replace(/^[A-Za-z]:(?=[\\/])/, "")
    .split(/[\\/]/)
    .filter((part) => part !== "" && part !== ".");
  const name = parts.join("/");
  const refusal = name === "" ? "A picture has no name." : refusalOfPath(name);
  if (refusal !== null) throw new BadValue(`The name of a picture, ${JSON.stringify(text.slice(0, 100))}: ${refusal}`);
  return name;
}

/** The end of an item's uid at the end of a file's name; what follows it is that of a project. */
export const findUidEnd = (name: string): string | null =>
  /_([0-9a-f]{12})(?:_[0-9a-f]{12})?(?:\.[^./]*)?$/.exec(name)?.[1] ?? null;
