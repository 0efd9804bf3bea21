import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import * as restApp from "@/server/composition/rest-app";
import * as exportJobs from "@/server/features/exports/jobs";
import * as importJobs from "@/server/features/imports/jobs";
import { extract } from "@/server/features/moments/jobs";
import { createRule } from "@/server/features/rules/service";
import { root } from "@/server/testing/architecture/source-tree";
import { pictures } from "@/server/testing/datasets";
import { listFences } from "@/server/testing/documents/fences";
import { addMember, makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { listenOnLoopback } from "@/server/testing/listening";
import { processDuring, processedRecording, processJobs } from "@/server/testing/processing";
import { underSettings } from "@/server/testing/settings";
import { createWebServer } from "@/server/transport/http/http-server";

/** Runs the commands of the guides as printed, and compares what they print with the responses printed below them. */

const { server } = createWebServer(restApp, async ({ url = "" }, response) => {
  response.end(await fs.promises.readFile(path.join(root, "public", path.posix.normalize(url))));
});
await listenOnLoopback(server);
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const firstSteps = "docs/first-steps.md";
const isCommand = ({ info }: { info: string }) => info === "sh";
const setUp = listFences(firstSteps).filter((fence) => isCommand(fence) && fence.heading === "Set-up");

const guides = [
  firstSteps,
  ...[
    "errors",
    "paging",
    "filters",
    "limits",
    "idempotency",
    "devices",
    "health",
    "uploads",
    "events",
    "alerts",
    "webhooks",
    "agents",
    "datasets",
    "annotation",
    "review",
    "formats",
  ].map((name) => `docs/${name}.md`),
];

/** Guides that act on what an organization has: a recording in which a rule triggered, and its alert. */
const needsAlert = ["docs/events.md", "docs/alerts.md", "docs/datasets.md"];
/** Guides that label pictures of a dataset; in that of review, a second member decides. */
const needsPictures = ["docs/annotation.md", "docs/review.md", "docs/formats.md"];
const sample = path.join(root, "public/samples/overheating-arm.mcap");

async function addAlert(organization: TestOrganization): Promise<void> {
  const { uid } = await makeDevice(organization, { tags: ["welding"] });
  await createRule(organization.ctx, {
    name: "Motor too hot",
    condition: {
      type: "threshold",
      topic: "/motor/state",
      field: "temperature",
      operator: "gt",
      value: 80,
      window: "2s",
    },
    actions: [{ type: "flag_for_review" }],
  });
  await processedRecording(organization, uid, [sample]);
}

const mark = "@@ end of block @@";

/** Runs blocks in one shell, in an empty folder. Resolves to what each printed; the first failing command ends it. */
async function runBlocks(blocks: readonly string[]): Promise<{ code: unknown; printed: string[]; errors: string }> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "muster-guide-"));
  const shell = spawn("sh", ["-eu"], { cwd: folder });
  let [printed, errors] = ["", ""];
  shell.stdout.on("data", (chunk) => (printed += String(chunk)));
  shell.stderr.on("data", (chunk) => (errors += String(chunk)));
  shell.stdin.end(blocks.map((block) => `${block}\nprintf '%s' '${mark}'\n`).join(""));
  const [code] = (await once(shell, "close")) as unknown[];
  fs.rmSync(folder, { recursive: true });
  return { code, printed: printed.split(mark), errors };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * A value reduced to what a documented response promises: its members and their types. With `like`, only the members
 * that it has. A null stands for any value, because a member may be unset.
 */
function toShape(value: unknown, like: unknown): unknown {
  if (value === null || like === null) return "anything";
  if (Array.isArray(value) && Array.isArray(like)) return like.map((each, at) => toShape(value[at], each));
  if (!isObject(value) || !isObject(like)) return Array.isArray(value) ? "array" : typeof value;
  return Object.fromEntries(Object.keys(value).map((key) => [key, toShape(value[key], like[key])]));
}

/** The members of `value` that `like` has, at every level. */
function pickMembers(value: unknown, like: unknown): unknown {
  if (Array.isArray(value) && Array.isArray(like)) return like.map((each, at) => pickMembers(value[at], each));
  if (!isObject(value) || !isObject(like)) return value;
  return Object.fromEntries(Object.keys(like).map((key) => [key, pickMembers(value[key], like[key])]));
}

function compare(kind: string, printed: unknown, documented: unknown): void {
  if (kind === "exact") return expect(printed).toEqual(documented);
  const actual = kind === "part" ? pickMembers(printed, documented) : printed;
  expect(toShape(actual, documented)).toEqual(toShape(documented, documented));
}

test.each(guides)(
  "the commands of %s work as printed, and respond as printed",
  async (file) => {
    const organization = await makeOrganization();
    if (needsAlert.includes(file)) await addAlert(organization);
    if (needsPictures.includes(file)) await pictures(organization, 3);
    const ben = await addMember(organization);
    const fences = listFences(file);
    const commands = [...(file === firstSteps ? [] : setUp), ...fences.filter(isCommand)];
    const blocks = commands.map(({ text }) =>
      text
        .replaceAll("http://127.0.0.1:3000", origin)
        .replaceAll("svk_…", organization.key)
        .replaceAll("svk_bens…", ben.key)
        .replaceAll("ben…", ben.username),
    );
    const { code, printed, errors } = await underSettings({ PUBLIC_URL: origin }, () =>
      processDuring(runBlocks(blocks), [
        ...processJobs,
        extract,
        exportJobs.start,
        exportJobs.run,
        importJobs.check,
        importJobs.run,
      ]),
    );
    // A failure within a pipe does not end the shell, but curl reports it.
    expect({ code, errors }, printed.join("\n")).toEqual({ code: 0, errors: "" });
    for (const [at, { text }] of commands.entries())
      if (/\| field \w+\n$/.test(text)) expect(printed[at]?.trim(), text).not.toBe("");
    for (const [at, { info, text }] of fences.entries()) {
      const [, kind] = /^json (response|part|exact)$/.exec(info) ?? [];
      const command = fences[at - 1];
      if (kind === undefined || !command) continue;
      expect(command.info, `before ${text}`).toBe("sh");
      compare(kind, JSON.parse(printed[commands.indexOf(command)] ?? ""), JSON.parse(text));
    }
  },
  60_000,
);

test("the JavaScript of docs/paging.md reads a list to its end", async () => {
  const organization = await makeOrganization();
  const names = ["a", "b", "c", "d", "e"];
  for (const name of names) await makeDevice(organization, { name });
  const code = listFences("docs/paging.md").find(({ info }) => info === "js")?.text ?? "";
  const { readAll } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    readAll: (address: string, key: string) => AsyncIterable<{ name: string }>;
  };
  const read: string[] = [];
  await underSettings({ PUBLIC_URL: origin }, async () => {
    for await (const { name } of readAll(`${origin}/api/v1/fleet/devices/?limit=2`, organization.key)) read.push(name);
  });
  expect(read.sort()).toEqual(names);
});
