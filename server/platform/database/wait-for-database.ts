import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** Errors of a server that is still starting, or of the network to it: 57P03 starting up, 53300 no free connection. */
const transientCodes = new Set(["57P03", "53300", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN"]);

/**
 * Waits until a statement succeeds (a server in recovery accepts connections and then refuses them). Calls
 * `shouldContinue` before each attempt and throws the last error once it returns false. Throws errors that are not
 * transient, such as a wrong password, immediately.
 */
export async function waitForDatabase(url: string, shouldContinue: () => boolean): Promise<void> {
  let lastError: unknown = new Error("PostgreSQL ended before it answered");
  while (shouldContinue()) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.query("select 1");
      return;
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      const cut = error instanceof Error && /terminated|timeout/i.test(error.message);
      if (!transientCodes.has(code) && !cut) throw error;
      lastError = error;
      await sleep(50);
    } finally {
      await client.end().catch(() => {});
    }
  }
  throw lastError;
}
