import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { CommandError } from "@/cli/client/api-client";
import { queueForLock, tryLock } from "@/server/platform/database/advisory-lock";
import { withConnection } from "@/server/platform/database/connection";
import { backupLock, endBackup, leaseSeconds, renewLease, renewSeconds } from "@/server/platform/storage/backup-lease";

const connection = (databaseUrl: string) => ({ connectionString: databaseUrl, application_name: "muster-backup" });

/** Waits until no other backup of this database is made and no file is being removed. */
export async function lockBackups(client: pg.ClientBase, print: (line: string) => void): Promise<void> {
  if (await tryLock(client, backupLock)) return;
  print("Waiting for another backup, or for files that are being removed …");
  await queueForLock(client, backupLock);
}

/** A backup's protection of files from removal. */
export interface HeldLease {
  /** Renews the lease once more. Throws a CommandError when it was over before: files may have been removed meanwhile. */
  requireHeld: () => Promise<void>;
  /** Ends the lease. One that cannot be ended runs out by itself. */
  end: (complete: boolean) => Promise<void>;
}

const attempts = 6;
const firstPauseMs = 1_000;

/** Tries again, with a pause that doubles: the database may be away for a moment at the end of hours. */
async function persist<T>(action: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (attempt === attempts) throw error;
      await sleep(firstPauseMs * 2 ** (attempt - 1));
    }
  }
}

/**
 * Renews the lease of a backup until it is ended. A renewal that fails is tried again a minute later; while the database
 * is away, nothing can be removed either.
 */
export function keepLease(databaseUrl: string, id: string): HeldLease {
  const renew = () => withConnection(connection(databaseUrl), (client) => renewLease(client, id));
  const timer = setInterval(() => void renew().catch(() => {}), renewSeconds * 1_000);
  return {
    requireHeld: async () => {
      if (!(await persist(renew)))
        throw new CommandError(
          `The database was away for longer than ${leaseSeconds / 60} minutes, and files may have been removed meanwhile. Make the backup again.`,
        );
    },
    end: (complete) => {
      clearInterval(timer);
      const finish = () => withConnection(connection(databaseUrl), (client) => endBackup(client, id, complete));
      return complete ? persist(finish) : finish();
    },
  };
}
