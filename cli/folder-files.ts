import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "@/cli/client/api-client";
import type { LocalFile } from "@/cli/client/put-file";
import { issueMessage } from "@/domain/field-messages";
import { filePath } from "@/domain/uploads/file-path";

/** A file that cannot be uploaded, and why. */
export interface RefusedFile {
  path: string;
  refusal: string;
}

/** What systems put into folders beside the files of their users. */
const isOfSystem = (name: string): boolean =>
  name.startsWith(".") || /^(Thumbs\.db|desktop\.ini|__MACOSX)$/i.test(name);

const namePath = filePath();

async function look(location: string, below: string): Promise<LocalFile | RefusedFile | "folder"> {
  const found = await stat(location).catch(() => null);
  if (found?.isDirectory()) return "folder";
  if (!found?.isFile()) return { path: below, refusal: found ? "It is not a file." : "It cannot be read." };
  const isReadable = await access(location, constants.R_OK).then(
    () => true,
    () => false,
  );
  if (!isReadable) return { path: below, refusal: "It cannot be read." };
  const named = namePath.safeParse(below, { error: issueMessage });
  if (!named.success) return { path: below, refusal: named.error.issues[0]?.message ?? "" };
  return { location, path: below, size: found.size };
}

/**
 * The files below a folder in the order of their names, each with its path from there. Hidden ones, those of the operating
 * system and `without` are left out, and links to folders are not followed. Holds the names of one folder at each level.
 */
export async function* walkFolder(
  folder: string,
  without: string | null = null,
  below = "",
): AsyncGenerator<LocalFile | RefusedFile> {
  const entries = await readdir(path.join(folder, below), { withFileTypes: true }).catch(() => {
    if (below === "") throw new CommandError(`${folder} is not a folder that can be read.`);
    return null;
  });
  if (entries === null) return yield { path: below, refusal: "The folder cannot be read." };
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (isOfSystem(entry.name)) continue;
    const at = below === "" ? entry.name : `${below}/${entry.name}`;
    const location = path.join(folder, below, entry.name);
    if (location === without) continue;
    if (entry.isDirectory()) {
      yield* walkFolder(folder, without, at);
      continue;
    }
    const found = await look(location, at);
    yield found === "folder" ? { path: at, refusal: "Links to folders are not followed." } : found;
  }
}
