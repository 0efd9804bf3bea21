import fs from "node:fs";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { PreviewResult } from "@/domain/rules/preview";
import { areas } from "@/server/composition/api-areas";
import { registry } from "@/server/composition/rest-registry";
import { sweepOfflineDevices } from "@/server/features/alerts/offline-service";
import type { TopicResource } from "@/server/features/rules/resource";
import { createRule } from "@/server/features/rules/service";
import type { Page } from "@/server/platform/pagination";
import type { DeviceActivity, FleetHealth, OpenAlert } from "@/server/read-models/fleet/resource";
import { root } from "@/server/testing/architecture/source-tree";
import { addMember, makeDevice, makeOrganization } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { callTool, connectModel } from "@/server/testing/model-host";
import { epoch, jsonRecording, processedRecording, temperatures } from "@/server/testing/processing";
import { request } from "@/server/testing/requests";
import { createTools } from "@/server/transport/mcp/endpoint-tools";

/** Writes the list of tools and the transcript of docs/mcp.md from the running product, and compares them. */

const file = path.join(root, "docs/mcp.md");

/** The document with this content in one of its written parts. */
function withPart(document: string, name: string, content: string): string {
  const part = new RegExp(`(<!-- ${name}: [^>]+ -->\n).*?(<!-- end of ${name} -->)`, "s");
  expect(document).toMatch(part);
  return document.replace(part, (_, start: string, end: string) => `${start}\n${content}\n\n${end}`);
}

function describeTools(): string {
  const tools = createTools(registry);
  const listNames = (area: string, readOnly: boolean) =>
    tools
      .filter((tool) => tool.area === area && tool.readOnly === readOnly)
      .map(({ name }) => `\`${name}\``)
      .join(", ");
  const rows = [...new Set(tools.map(({ area }) => area))].map(
    (area) =>
      `| \`${area}\` | ${areas[area]?.split(/(?<=\.) /)[0]} | ${listNames(area, true)} | ${listNames(area, false)} |`,
  );
  return ["| area | about | reads | writes |", "|---|---|---|---|", ...rows].join("\n");
}

const started = Number(epoch / 1_000_000n);
const minute = 60_000;
const condition = { type: "threshold", topic: "/motor/temp", field: "data.value", operator: "gt", value: 80 } as const;

let server: Loopback;
let client: Client;
let rule: string;
beforeAll(async () => {
  // Ten minutes before the recordings that the factories make, and later an hour after them.
  vi.useFakeTimers({ toFake: ["Date"], now: started - 10 * minute });
  const org = await makeOrganization();
  const { key } = await addMember(org, "member", { staff: true });
  const picker = await makeDevice(org, { name: "picker-7", type: "arm" });
  const silent = await makeDevice(org, { name: "picker-8", type: "arm" });
  const heartbeat = ({ uid }: { uid: string }) =>
    request("POST", `/fleet/devices/${uid}/heartbeat/`, { key: org.key, body: {} });
  await heartbeat(picker);
  await heartbeat(silent);
  const actions = [{ type: "flag_for_review", severity: "error" } as const];
  rule = (await createRule(org.ctx, { name: "Motor too hot", condition, actions })).uid;
  vi.setSystemTime(started + 60 * minute);
  const bytes = await jsonRecording({ "/motor/temp": temperatures([78, 81.5, 86, 79, 82, 79]) });
  const recording = await processedRecording(org, picker.uid, [bytes], { name: "night run" });
  const event = { recording_id: recording, type: "anomaly", label: "gripper slipped" };
  const timestamp = new Date(started + 3_000);
  await request("POST", "/fleet/events/", { key: org.key, body: { ...event, timestamp } });
  await heartbeat(picker);
  await sweepOfflineDevices(new Date());
  server = await startLoopback();
  client = await connectModel(`${server.url}/api/v1/mcp/`, key);
});
afterAll(async () => {
  vi.useRealTimers();
  await server.close();
});

/** Uids in the order in which they occur: `dev_1`, `dev_2`. */
function shortenUids(text: string): string {
  const found = new Map<string, string>();
  return text.replaceAll(/\b([a-z]+)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (uid, kind: string) => {
    const number = [...found.keys()].filter((other) => other.startsWith(`${kind}_`)).length + 1;
    if (!found.has(uid)) found.set(uid, `${kind}_${number}`);
    return found.get(uid) ?? uid;
  });
}

/** A value over several lines, but short objects and lists on one. */
function render(value: unknown, indent = ""): string {
  const line = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ");
  if (typeof value !== "object" || value === null || indent.length + line.length <= 110) return line;
  const deeper = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(
    ([name, member]) => `${deeper}${isList ? "" : `${JSON.stringify(name)}: `}${render(member, deeper)}`,
  );
  return `${isList ? "[" : "{"}\n${parts.join(",\n")}\n${indent}${isList ? "]" : "}"}`;
}

/** Asks one question; `answer` is what a model can say with the result. */
async function ask<Result>(
  question: string,
  tool: string,
  args: Record<string, unknown>,
  answer: (result: Result) => string,
): Promise<string> {
  const { isError, output } = await callTool(client, tool, args);
  expect(isError, JSON.stringify(output)).toBe(false);
  const call = ["```json", render({ name: tool, arguments: args }), "```"];
  const result = ["```json", render(output), "```"];
  return [`**${question}**`, "", ...call, "", ...result, "", `> ${answer(output as Result)}`].join("\n");
}

const time = (iso: string | null | undefined): string => iso?.slice(11, 19) ?? "never";

test("the page about models lists every tool, and its transcript is what the running product responds", async () => {
  await client.listTools();
  const around = new Date(started + 3_000).toISOString();
  const transcript = [
    await ask<FleetHealth>("How is the fleet?", "fleet_health", {}, ({ devices, offline, worse }) => {
      const [first] = offline;
      const rises = worse.rules.map(({ name, alerts, before }) => `${name} (alerts: ${alerts}, before: ${before})`);
      return (
        `Online: ${devices.online}. Offline: ${devices.offline}, ${first?.name}, last seen at ${time(first?.last_seen_at)}. ` +
        `Worse than the day before: ${rises.join(", ")}.`
      );
    }),
    await ask<Page<OpenAlert>>("What is open, and why?", "fleet_open_alerts", { limit: 5 }, ({ results }) =>
      results.map(({ severity, device_name, why }) => `${device_name} (${severity}): ${why[0]}.`).join(" "),
    ),
    await ask<DeviceActivity>(
      "What did picker-7 do when its motor was too hot?",
      "fleet_device_activity",
      { device: "picker-7", around, minutes: 30 },
      ({ recordings, events, alerts }) => {
        const happened = [...events, ...alerts].map((each) =>
          "label" in each ? `${time(each.at)} ${each.label}` : `${time(each.at)} alert of ${each.rule_name}`,
        );
        return `It recorded "${recordings[0]?.name}": ${happened.toSorted().join(", ")}.`;
      },
    ),
    await ask<PreviewResult>(
      "What if the limit were 85?",
      "rules_preview",
      { condition: { ...condition, value: 85 }, rule_id: rule, max_hits: 1 },
      ({ condition_text, hit_count, compare }) =>
        `\`${condition_text}\` would have triggered this often: ${hit_count}. Of the rule's hits it would lose ${compare?.lost_count}.`,
    ),
    await ask<Page<TopicResource>>("What could other rules look at?", "topics_list", { q: "motor" }, ({ results }) =>
      results
        .flatMap(({ name, fields }) => fields.map((each) => `${each.path} of ${name}, ${each.min} to ${each.max}`))
        .join("; "),
    ),
  ];
  const document = fs.readFileSync(file, "utf8");
  const written = withPart(document, "tools", describeTools());
  await expect(withPart(written, "transcript", shortenUids(transcript.join("\n\n")))).toMatchFileSnapshot(file);
});
