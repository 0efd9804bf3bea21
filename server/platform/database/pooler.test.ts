import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { refusePooler } from "@/server/platform/database/pooler";
import { onServer, scratchDatabase } from "@/server/testing/database";
import { startPooler } from "@/server/testing/pooler";

let url: string;
beforeAll(async () => {
  url = await scratchDatabase(inject("testRun"));
  const name = new URL(url).pathname.slice(1);
  await onServer(url, (client) => client.query(`alter database ${name} set timezone = 'Europe/Berlin'`));
});

async function judge(options: Parameters<typeof startPooler>[1]): Promise<string> {
  const pooler = await startPooler(url, options);
  try {
    return await refusePooler(pooler.url).then(
      () => "accepted",
      (error: Error) => error.message,
    );
  } finally {
    await pooler.close();
  }
}

describe("at the start", () => {
  test("a database is accepted, and a pooler that gives each client a session", async () => {
    await refusePooler(url);
    expect(await judge({ mode: "session" })).toBe("accepted");
  });

  test("a pooler that shares sessions between transactions is refused, with what to do", async () => {
    const reason = await judge({ mode: "transaction" });
    expect(reason).toContain("shares sessions between transactions, such as PgBouncer with pool_mode = transaction.");
    expect(reason).toContain("let DATABASE_URL lead to PostgreSQL itself");
  });

  test("a pooler that drops what is set for a session is refused", async () => {
    const reason = await judge({ mode: "session", dropSettings: true });
    expect(reason).toContain("drops what Muster sets for its sessions: the time zone is Europe/Berlin.");
  });

  test("a database that does not let anybody in is not taken for a pooler", async () => {
    const wrong = new URL(url);
    wrong.password = "wrong";
    await expect(refusePooler(wrong.toString())).rejects.toBeInstanceOf(pg.DatabaseError);
  });
});

/** `npm run test:deploy` fetches it and names it. */
describe.skipIf(!process.env.PGBOUNCER)("PgBouncer", () => {
  const env = { ...process.env, LD_LIBRARY_PATH: process.env.PGBOUNCER_LIBRARIES };
  let folder: string;
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "pgbouncer-"));
    fs.chmodSync(folder, 0o777); // it refuses to run as root, and changes its user
  });
  afterAll(() => fs.rmSync(folder, { recursive: true }));

  async function freePort(): Promise<number> {
    const server = net.createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, "close");
    return port;
  }

  async function judgeReal(settings: Record<string, string>): Promise<string> {
    const target = new URL(url);
    const port = await freePort();
    const name = target.pathname.slice(1);
    const lines = Object.entries({
      listen_addr: "127.0.0.1",
      listen_port: String(port),
      unix_socket_dir: "",
      auth_type: "any",
      ...(process.getuid?.() === 0 && { user: "nobody" }),
      ...settings,
    }).map(([setting, value]) => `${setting} = ${value}`);
    const server = `host=127.0.0.1 port=${target.port} user=${target.username} password=${decodeURIComponent(target.password)}`;
    const file = path.join(folder, `${port}.ini`);
    fs.writeFileSync(file, `[databases]\n${name} = ${server}\n[pgbouncer]\n${lines.join("\n")}\n`);
    const bouncer = spawn(process.env.PGBOUNCER ?? "", [file], { stdio: "ignore", env });
    try {
      const pooled = new URL(url);
      pooled.port = String(port);
      await vi.waitFor(() => onServer(pooled.toString(), (client) => client.query("select 1")), { timeout: 60_000 });
      return await refusePooler(pooled.toString()).then(
        () => "accepted",
        (error: Error) => error.message,
      );
    } finally {
      bouncer.kill("SIGKILL");
    }
  }
  const ignored = { ignore_startup_parameters: "options,statement_timeout,idle_in_transaction_session_timeout" };

  test("is refused as it comes, and in the mode of transactions", async () => {
    const version = spawnSync(process.env.PGBOUNCER ?? "", ["--version"], { encoding: "utf8", env });
    expect(version.stdout).toContain("PgBouncer");
    expect(await judgeReal({})).toContain("refuses what Muster sets for its sessions (unsupported startup parameter");
    for (const round of ["0", "1"]) {
      const mode = { pool_mode: "transaction", server_round_robin: round };
      expect(await judgeReal({ ...ignored, ...mode })).toContain("shares sessions between transactions");
    }
    expect(await judgeReal({ ...ignored, pool_mode: "session" })).toContain("drops what Muster sets for its sessions");
  });
});
