import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { env } from "@/server/platform/env";

/** A stored file's name without its version, which differs each time the same bytes are stored. */
export const lastingName = (name: string): string => name.replace(/\.versions\/\d{8}-[0-9a-f]{8}\./, " ");

/** The paths of all files that the disk store of this process has for a key: its object and unfinished uploads. */
export function filesOfKey(key: string, root = path.join(env.DATA_DIR, "files")): string[] {
  const folder = path.join(root, path.dirname(key));
  if (!fs.existsSync(folder)) return [];
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  return files.filter((file) => file.startsWith(`${path.join(root, key)}.`) || file === path.join(root, key));
}

/** The entity tag of a file with these bytes. */
export const computeEtag = (bytes: Uint8Array | string): string => `"${createHash("md5").update(bytes).digest("hex")}"`;
