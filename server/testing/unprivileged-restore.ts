import { restore } from "@/cli/db/restore";
import { verifyBackup } from "@/cli/db/verify";

// Restores as an unprivileged user, because root may write everywhere. Reads migrations from the folder given last.
const [file = "", databaseUrl = "", dataDir = "", user = "", folder = ""] = process.argv.slice(2);
const verified = await verifyBackup(file);
process.chdir(folder);
process.setuid?.(Number(user));
try {
  await restore(verified, { databaseUrl, dataDir, authSecret: undefined, mayReplace: () => Promise.resolve(true) });
} catch (error) {
  process.stderr.write(String(error));
}
