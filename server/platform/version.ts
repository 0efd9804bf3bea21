import fs from "node:fs";
import path from "node:path";
import { z } from "zod";
import { readCommit } from "@/server/platform/commit.mjs";

/** What the build noted beside its programs. */
const Note = z.object({ commit: z.string().nullable() });

/** The commit of this program, with `-dirty` where files were changed since; of sources as git says. Null where nobody knows. */
export function findCommit(folder = import.meta.dirname): string | null {
  const note = path.join(folder, "build.json");
  if (fs.existsSync(note)) return Note.parse(JSON.parse(fs.readFileSync(note, "utf8"))).commit;
  return readCommit(folder);
}
