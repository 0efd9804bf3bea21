import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { receiverSnippets } from "@/components/webhooks/receiver-snippets";
import { newWebhookSecret, signHeaders } from "@/server/platform/http-client/signature";

const programs: Readonly<Record<string, { command: string; file: string }>> = {
  Node: { command: process.execPath, file: "receiver.mjs" },
  Python: { command: "python3", file: "receiver.py" },
};
const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const installed = receiverSnippets.filter(
  ({ label }) => programs[label] && spawnSync(programs[label].command, ["--version"]).status === 0,
);

test.each(installed)("the receiver in $label accepts Muster's messages and no others", async ({ label, code }) => {
  const { command, file } = programs[label]!;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "receiver-"));
  fs.writeFileSync(path.join(folder, file), code);
  const [secret, port] = [newWebhookSecret(), await freePort()];
  const child = spawn(command, [path.join(folder, file)], {
    env: { ...process.env, MUSTER_WEBHOOK_SECRET: secret, PORT: String(port) },
    stdio: "ignore",
  });
  closing.push(() => {
    child.kill();
    fs.rmSync(folder, { recursive: true });
  });
  const body = JSON.stringify({ event: "dataset.created", name: "Höfe" });
  const headers = signHeaders({ secret, id: "d", timestamp: 1, body, event: "dataset.created", deliveryId: "d" });
  const post = async (sent: Record<string, string>, text = body) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers: sent, body: text })).status;
  await vi.waitFor(async () => expect(await post(headers)).toBe(204), { timeout: 60_000, interval: 100 });
  expect(await post(headers, `${body} `)).toBe(401);
  expect(await post({})).toBe(401);
});
