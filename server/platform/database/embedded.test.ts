import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { locateCluster } from "@/server/platform/database/cluster";
import { type EmbeddedDatabase, openEmbeddedDatabase } from "@/server/platform/database/embedded";
import { onServer, testFolder } from "@/server/testing/database";

const log = pino({ level: "silent" });
const dataDir = path.join(testFolder, "data", inject("testRun").id, "embedded");
const open = (keepAlive = false) =>
  openEmbeddedDatabase({ dataDir, log, keepAlive, settings: { shared_buffers: "16MB" } });
const readStored = (database: EmbeddedDatabase) =>
  onServer(database.url, async (client) => (await client.query("select n from stored")).rows);

const eventually = <T>(attempt: () => Promise<T>): Promise<T> => vi.waitFor(attempt, { timeout: 60_000, interval: 50 });

let database: EmbeddedDatabase;
beforeAll(async () => {
  database = await open();
  await onServer(database.url, (client) => client.query("create table stored (n int); insert into stored values (7);"));
});
afterAll(async () => {
  database = await open();
  await database.stop();
  fs.rmSync(dataDir, { recursive: true, force: true });
});

describe("the embedded database", () => {
  it("is adopted instead of started twice when it is running already", async () => {
    const again = await open();
    expect(again).toMatchObject({ adopted: true, pid: database.pid, url: database.url });
  });

  it("has all committed data when it starts again after it was killed", async () => {
    process.kill(database.pid, "SIGKILL");
    database = await open();
    expect(database.adopted).toBe(false);
    expect(await readStored(database)).toEqual([{ n: 7 }]);
  });

  it("starts again when the running server ends while it is adopted", async () => {
    process.kill(database.pid, "SIGSTOP"); // so that it does not answer before it ends
    const opening = open();
    process.kill(database.pid, "SIGKILL");
    database = await opening;
    expect(database.adopted).toBe(false);
    expect(await readStored(database)).toEqual([{ n: 7 }]);
  });

  it("is restarted on the same port while Muster runs", async () => {
    const supervised = await open(true);
    const killed = supervised.pid;
    process.kill(killed, "SIGKILL");
    expect(await eventually(() => readStored(supervised))).toEqual([{ n: 7 }]);
    await eventually(async () => expect(supervised.pid).not.toBe(killed));
    await supervised.stop();
    database = await open();
  });

  it("starts although the process id of a killed server now belongs to another program", async () => {
    await database.stop();
    const outsider = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"], { stdio: "ignore" });
    const remains = [outsider.pid, "/elsewhere", 0, 1, "", "127.0.0.1", "", "ready"].join("\n");
    fs.writeFileSync(path.join(locateCluster(dataDir).data, "postmaster.pid"), remains);
    database = await open();
    outsider.kill();
    expect(await readStored(database)).toEqual([{ n: 7 }]);
  });
});
