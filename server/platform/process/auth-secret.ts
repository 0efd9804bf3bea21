import { randomBytes } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

/**
 * Reads the secrets that sign sessions, links and cursors from `DATA_DIR/auth-secret`, one in each line, and creates one
 * if there is none. Two processes that create it concurrently get the same one. In the form of AUTH_SECRETS.
 */
export function keptAuthSecrets(dataDir: string): string {
  const file = path.join(dataDir, "auth-secret");
  const own = `${file}.${process.pid}`;
  fs.mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  if (!fs.existsSync(file)) {
    fs.writeFileSync(own, randomBytes(36).toString("base64url"), { mode: 0o600 });
    try {
      fs.linkSync(own, file); // atomic, and never replaces another's
    } catch {
      if (!fs.existsSync(file)) fs.renameSync(own, file); // a file system without links
    } finally {
      fs.rmSync(own, { force: true });
    }
  }
  return readSecrets(file).join(",");
}

const readSecrets = (file: string): string[] =>
  fs
    .readFileSync(file, "utf8")
    .trim()
    .split(/\s*\n\s*/);

/** The secrets in DATA_DIR, one in each line; undefined when there are none. Creates nothing. */
export function findKeptSecrets(dataDir: string): string | undefined {
  const file = path.join(dataDir, "auth-secret");
  return fs.existsSync(file) ? readSecrets(file).join("\n") : undefined;
}
