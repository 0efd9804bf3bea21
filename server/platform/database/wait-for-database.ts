import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/**
 * What a server says, or the network in its stead, that is about to answer: 57P03 is "starting up", 53300 "no
 * connection free".
 */
const transientCodes = new Set(["57P03", "53300", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN"]);

/**
 * Waits for a real answer to SQL; a server in recovery accepts connections and then refuses them. `goOn` is asked
 * before each attempt. Throws what the last one met once `goOn` says no, and at once what waiting does not mend, such
 * as a wrong password.
 */
export async function waitForDatabase(url: string, goOn: () => boolean): Promise<void> {
  let met: unknown = new Error("PostgreSQL ended before it answered");
  while (goOn()) {
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
      met = error;
      await sleep(50);
    } finally {
      await client.end().catch(() => {});
    }
  }
  throw met;
}
