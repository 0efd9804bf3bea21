import fs from "node:fs";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventPayloads } from "@/domain/platform-events/payloads";
import { agentEventTypes, platformEventTypes } from "@/domain/platform-events/schema";
import { alertEvents } from "@/server/features/channels/message";
import { newWebhookSecret, signHeaders } from "@/server/platform/http-client/signature";
import { defaultRetryPolicy } from "@/server/platform/outbox/retry";
import { root } from "@/server/testing/architecture/source-tree";

/** Compares what docs/webhooks.md promises to receivers with what the product sends. */

const document = fs.readFileSync(path.join(root, "docs/webhooks.md"), "utf8");

/** The members of an event beside `event` itself. */
const listMembers = (type: keyof typeof eventPayloads): string[] => Object.keys(eventPayloads[type].shape).slice(1);

const names = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? "");

test("every event is documented with its members, and with whether agents can subscribe to it", () => {
  const rows = [...document.matchAll(/^\| `(\w+\.\w+)` \| (yes|no) \|.*\| (.+) \|$/gm)];
  expect(Object.fromEntries(rows.map(([, event, , list]) => [event, names(list ?? "")]))).toEqual(
    Object.fromEntries(platformEventTypes.map((type) => [type, listMembers(type)])),
  );
  expect(rows.flatMap(([, event, forAgents]) => (forAgents === "yes" ? [event] : []))).toEqual(agentEventTypes);
});

test("the example of an event is one that is sent", () => {
  const [, example = ""] = /^```json\n(\{\n  "event": "result\.submitted".*?)^```/ms.exec(document) ?? [];
  const sent = z.strictObject(eventPayloads["result.submitted"].shape).parse(JSON.parse(example));
  expect(Object.keys(sent)).toEqual(["event", ...listMembers("result.submitted")]);
});

test("the libraries of Standard Webhooks load the secrets for which the document says so, and no others", () => {
  const rows = [...document.matchAll(/^\| `(.+)` \| (load|refuse) it \|$/gm)];
  const loads = (secret: string): boolean => {
    const signed = signHeaders({
      secret,
      id: "d",
      timestamp: Math.floor(Date.now() / 1_000),
      body: "{}",
      event: "test.ping",
      deliveryId: "d",
    });
    try {
      return Boolean(new Webhook(secret).verify("{}", signed));
    } catch {
      return false;
    }
  };
  expect(rows.length).toBeGreaterThan(3);
  expect(rows.map(([, secret = ""]) => [secret, loads(secret)])).toEqual(
    rows.map(([, secret, verb]) => [secret, verb === "load"]),
  );
});

test("the events of channels are documented", () => {
  for (const event of alertEvents) expect(document).toContain(`\`${event}\``);
});

test("the delays after failed attempts are the documented ones", () => {
  const unitMs = { s: 1_000, min: 60_000, h: 3_600_000 } as const;
  const [, line = ""] = /^> ((?:\d+ (?:s|min|h)(?:, |$))+)$/m.exec(document) ?? [];
  const delays = line.split(", ").map((each) => {
    const [count, unit] = each.split(" ");
    return Number(count) * unitMs[unit as keyof typeof unitMs];
  });
  expect(delays).toEqual(defaultRetryPolicy.delays);
});

test("the documented code that verifies a signature accepts Muster's messages and no others", async () => {
  const [, code = ""] = /^```js\n(.*?)^```/ms.exec(document) ?? [];
  const { isGenuine } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    isGenuine: (rawBody: string, headers: Record<string, string>, secret: string) => boolean;
  };
  const [secret, body] = [newWebhookSecret(), JSON.stringify({ event: "test.ping" })];
  const signed = signHeaders({ secret, id: "d", timestamp: 1, body, event: "test.ping", deliveryId: "d" });
  const headers = Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]));
  expect(isGenuine(body, headers, secret)).toBe(true);
  expect(isGenuine(`${body} `, headers, secret)).toBe(false);
  expect(isGenuine(body, headers, newWebhookSecret())).toBe(false);
  expect(isGenuine(body, {}, secret)).toBe(false);
});
