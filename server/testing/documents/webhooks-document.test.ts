import fs from "node:fs";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";
import type { z } from "zod";
import { SubmitAction } from "@/domain/agents/schema";
import { AgentEvent, eventPayloads, PingPayload } from "@/domain/platform-events/payloads";
import { eventSamples, pingSample } from "@/domain/platform-events/samples";
import { agentEventTypes, platformEventTypes } from "@/domain/platform-events/schema";
import { AlertResource } from "@/server/features/alerts/resource";
import { alertEvents, Message } from "@/server/features/channels/message";
import { newWebhookSecret, signHeaders } from "@/server/platform/http-client/signature";
import { defaultRetryPolicy } from "@/server/platform/outbox/retry";
import { root } from "@/server/testing/architecture/source-tree";
import { listFences } from "@/server/testing/documents/fences";

/** Compares what docs/webhooks.md promises to receivers with what the product sends. */

const document = fs.readFileSync(path.join(root, "docs/webhooks.md"), "utf8");

/** The members of an event beside `event` itself. */
const listMembers = (type: keyof typeof eventPayloads): string[] => Object.keys(eventPayloads[type].shape).slice(1);

const payloads: Record<string, z.ZodObject> = { ...eventPayloads, "test.ping": PingPayload };

const names = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? "");

test("every event is documented with its members, and with whether agents can subscribe to it", () => {
  const rows = [...document.matchAll(/^\| `(\w+\.\w+)` \| (yes|no) \|.*\| (.+) \|$/gm)];
  expect(Object.fromEntries(rows.map(([, event, , list]) => [event, names(list ?? "")]))).toEqual(
    Object.fromEntries(platformEventTypes.map((type) => [type, listMembers(type)])),
  );
  expect(rows.flatMap(([, event, forAgents]) => (forAgents === "yes" ? [event] : []))).toEqual(agentEventTypes);
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

test("every event has an example of its body, the one that the dashboard shows", () => {
  const examples = listFences("docs/webhooks.md")
    .filter(({ info }) => info === "json event")
    .map(({ heading, text }) => ({ events: names(heading), body: JSON.parse(text) as object }));
  for (const { events, body } of examples)
    for (const event of events) expect(payloads[event]?.strict().parse({ ...body, event })).toEqual({ ...body, event });
  expect(examples.flatMap(({ events }) => events).sort()).toEqual(Object.keys(payloads).sort());
  const samples: Record<string, object> = { ...eventSamples, "test.ping": pingSample };
  for (const { events } of examples)
    for (const event of events) expect(payloads[event]?.strict().parse(samples[event])).toEqual(samples[event]);
  // An example of several events is that of the first.
  expect(examples.map(({ body }) => body)).toEqual(examples.map(({ events }) => samples[events[0] ?? ""]));
});

test("the bodies of agents are those of events with their execution, and the action is one that is accepted", () => {
  const fences = listFences("docs/agents.md");
  const body = JSON.parse(fences.find(({ info }) => info === "json event")?.text ?? "") as { event: string };
  const sent = payloads[body.event]?.extend(AgentEvent.def.right.shape).strict();
  expect(sent?.parse(body)).toEqual(body);
  const action: unknown = JSON.parse(fences.find(({ info }) => info === "json action")?.text ?? "");
  expect(SubmitAction.omit({ execution: true }).strict().parse(action)).toEqual(action);
});

test("the example of an alert's message has every member that is sent", () => {
  const text = listFences("docs/webhooks.md").find(({ info }) => info === "json message")?.text ?? "";
  const message: unknown = JSON.parse(text);
  expect(Message.extend({ alert: AlertResource.strict() }).strict().parse(message)).toEqual(message);
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
