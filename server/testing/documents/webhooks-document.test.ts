import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { agentEventTypes, platformEventTypes, type PlatformEvents } from "@/domain/platform-events/schema";
import { alertEvents } from "@/server/features/channels/message";
import { newWebhookSecret, signHeaders } from "@/server/platform/http-client/signature";
import { defaultRetryPolicy } from "@/server/platform/outbox/retry";
import { root } from "@/server/testing/architecture/source-tree";

/** Compares what docs/webhooks.md promises to receivers with what the product sends. */

const document = fs.readFileSync(path.join(root, "docs/webhooks.md"), "utf8");

/** The members of every event beside `event` itself; does not compile when one is missing. */
const members: { [Type in keyof PlatformEvents]: Record<keyof PlatformEvents[Type], true> } = (() => {
  const dataset = { dataset_uid: true, name: true, slug: true, owner: true } as const;
  const exported = {
    export_uid: true,
    name: true,
    status: true,
    format: true,
    download_url: true,
    created_at: true,
  } as const;
  const result = { result_uid: true, task_uid: true, task_name: true, task_type: true, project_uid: true } as const;
  const run = { job_uid: true, status: true } as const;
  return {
    "dataset.created": dataset,
    "dataset.updated": dataset,
    "dataset.deleted": dataset,
    "export.completed": exported,
    "export.failed": exported,
    "task.completed": { task_uid: true, task_name: true, task_type: true, task_status: true, project_uid: true },
    "result.submitted": result,
    "result.accepted": result,
    "result.rejected": result,
    "auto_label.completed": run,
    "auto_label.failed": run,
    "quality.alert": { metric: true, threshold: true, current_value: true, project_uid: true },
  };
})();

const names = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? "");

test("every event is documented with its members, and with whether agents can subscribe to it", () => {
  const rows = [...document.matchAll(/^\| `(\w+\.\w+)` \| (yes|no) \|.*\| (.+) \|$/gm)];
  expect(Object.fromEntries(rows.map(([, event, , list]) => [event, names(list ?? "")]))).toEqual(
    Object.fromEntries(platformEventTypes.map((type) => [type, Object.keys(members[type])])),
  );
  expect(rows.flatMap(([, event, forAgents]) => (forAgents === "yes" ? [event] : []))).toEqual(agentEventTypes);
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
