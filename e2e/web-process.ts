import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { clusterUrl, locateCluster } from "@/server/platform/database/cluster";
import { findServer } from "@/server/platform/database/server-process";
import { keptAuthSecrets } from "@/server/platform/process/auth-secret";
import { expect } from "./fixtures";

const dataDir = (): string => path.resolve(process.env.E2E_DATA_DIR ?? "");

/** The address of the database of the server under test. */
export function databaseUrl(): string {
  const cluster = locateCluster(dataDir());
  const database = findServer(cluster);
  if (!database) throw new Error("the database of the server under test is not running");
  return clusterUrl(cluster, database.port);
}

/** The port at which a server of the test listens from now on. */
export async function listen(server: http.Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A port that was free just now. */
async function findPort(): Promise<number> {
  const server = http.createServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  return port;
}

export interface WebProcess {
  origin: string;
  stop: () => Promise<void>;
}

/** Another web process on the database and files of the server under test, with settings of its own, once it serves. */
export async function startWeb(settings: Record<string, string>): Promise<WebProcess> {
  const port = await findPort();
  const origin = `http://127.0.0.1:${port}`;
  const web = spawn(process.execPath, ["dist/main.mjs", "--role", "web"], {
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      NODE_ENV: "production",
      PORT: String(port),
      HOST: "127.0.0.1",
      DATA_DIR: dataDir(),
      DATABASE_URL: databaseUrl(),
      AUTH_SECRETS: keptAuthSecrets(dataDir()),
      MIGRATIONS: "wait",
      RATE_LIMITS: "off",
      PUBLIC_URL: origin,
      LOG_LEVEL: "warn",
      ...settings,
    },
  });
  const isReady = () =>
    fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await expect.poll(isReady, { timeout: 120_000 }).toBe(true);
  return {
    origin,
    stop: async () => {
      web.kill();
      if (web.exitCode === null) await once(web, "exit");
    },
  };
}
