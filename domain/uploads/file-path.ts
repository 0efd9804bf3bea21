import { nonBlank } from "@/domain/fields";

const maxPathBytes = 2_000;
/** Control characters, and marks that make a text look as if it ended otherwise. */
const unseen = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/**
 * What is wrong with a path as the name of an uploaded file, in words; null for a good one. Who downloads the files of an
 * upload into a folder has them all inside it, also on Windows.
 */
export function refusalOfPath(path: string): string | null {
  if (path.split(/[\\/]/).includes("..")) return 'Must not have ".." as a part: a path names a file within the upload.';
  if (/^([\\/]|[A-Za-z]:)/.test(path)) return "Must not be absolute: a path names a file within the upload.";
  if (unseen.test(path)) return "Must not have control characters, or characters that change the direction of text.";
  return null;
}

/** The path of a file as its uploader names it. */
export const filePath = () =>
  nonBlank(1_024)
    .refine((value) => new TextEncoder().encode(value).length <= maxPathBytes, {
      error: `Ensure this field is no longer than ${maxPathBytes} bytes.`,
    })
    .refine((value) => refusalOfPath(value) === null, { error: ({ input }) => refusalOfPath(String(input)) });
