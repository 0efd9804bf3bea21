import { restore } from "@/cli/db-restore";
import { verifyBackup } from "@/cli/db-verify";

// A restore by a user who may not write everywhere, which root may. Looks for migrations in the folder named last.
const [file = "", databaseUrl = "", dataDir = "", user = "", folder = ""] = process.argv.slice(2);
const verified = await verifyBackup(file);
process.chdir(folder);
process.setuid?.(Number(user));
try {
  await restore(verified, { databaseUrl, dataDir, authSecret: undefined, mayReplace: () => Promise.resolve(true) });
} catch (error) {
  process.stderr.write(String(error));
}
