import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { queueDeliveries } from "@/server/features/platform-events/webhook-queue-service";
import { createWebhook } from "@/server/features/webhooks/service";
import { pool, prisma } from "@/server/platform/db";
import { removeLongExhaustedJobs } from "@/server/platform/jobs/graphile";
import { queryRows, text } from "@/server/platform/rows";
import { makeAlert, makeChannel } from "@/server/testing/alerts";
import { bundledCommandLine, type CommandLine, type Ended } from "@/server/testing/command-line";
import { makeDevice, makeOrganization, makeRecording, unique, type TestOrganization } from "@/server/testing/factories";
import { exhaustJobs, leaveOneAttempt, removeJobs, returnJobs, takeJob } from "@/server/testing/queued-jobs";

let commandLine: CommandLine;
let org: TestOrganization;
const muster = (...args: string[]): Promise<Ended> => commandLine.start(args).ended;

beforeAll(async () => {
  commandLine = await bundledCommandLine();
  org = await makeOrganization();
});
afterAll(() => commandLine.close());

/** Adds a job that no worker knows. Resolves to its id. */
async function addJob(task: string, payload: object): Promise<string> {
  const statement = "select id::text from graphile_worker.add_job($1, payload := $2::json, max_attempts := 3)";
  const [job] = await queryRows(pool, { id: text }, statement, [task, JSON.stringify(payload)]);
  return job?.id ?? "";
}

describe("jobs", () => {
  test("are listed with their state and error and without what is personal, and run again", async () => {
    const task = unique("retired");
    const failed = await addJob(task, { organizationId: org.uid, email: "person@example.com", text: "a letter" });
    const waiting = await addJob(task, { organizationId: org.uid });
    try {
      await exhaustJobs([failed]);
      await pool.query("select graphile_worker.permanently_fail_jobs(array[$1]::bigint[], $2)", [
        failed,
        "no answer of postgresql://app:hunter2@db:5432/x\n    at line 1",
      ]);
      const listed = await muster("jobs", "list", "--failed", "--task", task, "--json");
      expect(JSON.parse(listed.out)).toMatchObject([
        { id: failed, task, state: "exhausted", attempts: 3, max_attempts: 3, payload: { organizationId: org.uid } },
      ]);
      for (const secret of ["person@example.com", "a letter", "hunter2"]) expect(listed.out).not.toContain(secret);

      const table = await muster("jobs", "list", "--waiting", "--task", task);
      expect(table.out.split("\n")[0]).toMatch(/^ID +TASK +STATE +ATTEMPTS +RUNS AT +LAST ERROR$/);
      expect(table.out.split("\n").slice(1)).toEqual([
        expect.stringMatching(`^${waiting} +${task} +waiting +0/3 `),
        "",
      ]);

      expect(await muster("jobs", "retry", "--task", task)).toMatchObject({ code: 0, err: "1 job runs again.\n" });
      const again = await muster("jobs", "retry", failed, "999999999999");
      expect([again.code, again.err]).toEqual([1, "1 job runs again.\nNot in the queue, or running: 999999999999\n"]);
      const after = await muster("jobs", "list", "--task", task, "--limit", "1", "--json");
      expect(JSON.parse(after.out)).toMatchObject([{ id: failed, state: "waiting", attempts: 0 }]);
    } finally {
      await removeJobs([failed, waiting]);
    }
  });

  test("whose workers were killed on every attempt are listed as failed without an error, and run again", async () => {
    const task = unique("retired");
    const id = await addJob(task, {});
    const worker = unique("killed");
    try {
      await leaveOneAttempt([id]);
      await takeJob(id, worker);
      await returnJobs(worker);
      const listed = await muster("jobs", "list", "--failed", "--task", task, "--json");
      expect(JSON.parse(listed.out)).toMatchObject([{ id, state: "exhausted", last_error: null }]);
      expect(await muster("jobs", "retry", "--task", task)).toMatchObject({ code: 0, err: "1 job runs again.\n" });
    } finally {
      await removeJobs([id]);
    }
  });

  test("without attempts left are removed after the time that the documents state, and not before", async () => {
    const id = await addJob(unique("retired"), {});
    const isThere = async () => (await pool.query("select 1 from graphile_worker.jobs where id = $1", [id])).rowCount;
    try {
      await exhaustJobs([id]);
      await removeLongExhaustedJobs(pool, 30);
      expect(await isThere()).toBe(1);
      await removeLongExhaustedJobs(pool, 0);
      expect(await isThere()).toBe(0);
    } finally {
      await removeJobs([id]);
    }
  });

  test("that cannot be meant are refused by name", async () => {
    const refusals: [string[], string][] = [
      [["retry"], "Give ids of jobs, or --task."],
      [["retry", "recordings.process"], '"recordings.process" is not the id of a job. List them with: jobs list'],
      [["list", "--limit", "0"], "--limit must be a whole number from 1 to 10000."],
    ];
    for (const [args, message] of refusals) {
      expect(await muster("jobs", ...args)).toMatchObject({ code: 1, out: "", err: `${message}\n` });
    }
  });
});

test("organizations are listed with what they have", async () => {
  const device = await makeDevice(org, {});
  const { uid } = await makeRecording(org, device.uid);
  await prisma.recording.update({ where: { uid }, data: { sizeBytes: 5_000_000_000n } });
  const listed = await muster("organizations", "list", "--json");
  const found = (JSON.parse(listed.out) as { uid: string }[]).find((each) => each.uid === org.uid);
  expect(found).toMatchObject({ slug: org.slug, members: 1, devices: 1, recordings: 1, storage_bytes: 5_000_000_000 });
  const table = await muster("organizations", "list");
  expect(table.out).toMatch(new RegExp(`^${org.slug} +1 +1 +1 +5000000000 +\\d{4}-\\d\\d-\\d\\d +`, "m"));
});

test("deliveries that failed are listed and sent again", async () => {
  const hook = await createWebhook(org.ctx, { target_url: "https://hooks.example.com/x", events: ["dataset.created"] });
  const [sent = "", open = ""] = await queueDeliveries(org.ctx, [hook.uid, hook.uid], "dataset.created", {
    event: "dataset.created",
  });
  await prisma.webhookDelivery.update({
    where: { uid: sent },
    data: { status: "failed", nextAttemptAt: null, attempts: 9, error: "HTTP 500" },
  });
  const channel = await makeChannel(org, "webhook", { url: "https://hooks.example.com/y" });
  await makeAlert(org, { channelIds: [channel.uid], severity: "critical" });
  await prisma.notification.updateMany({
    where: { channelId: channel.uid },
    data: { status: "failed", nextAttemptAt: null, attempts: 9, error: "HTTP 502" },
  });
  const { uid: message } = await prisma.notification.findFirstOrThrow({ where: { channelId: channel.uid } });
  try {
    const listed = await muster("deliveries", "list", "--failed", "--organization", org.slug, "--json");
    expect(JSON.parse(listed.out)).toMatchObject([
      { uid: message, outbox: "channels", status: "failed", error: "HTTP 502", organization: org.slug },
      { uid: sent, outbox: "webhooks", status: "failed", error: "HTTP 500", receiver: hook.uid, attempts: 9 },
    ]);
    const table = await muster("deliveries", "list", "--outbox", "webhooks", "--organization", org.slug);
    expect(table.out).toMatch(new RegExp(`^${open} +webhooks +${org.slug} +dataset.created +pending +0 `, "m"));

    const again = await muster("deliveries", "retry", sent, message, open, "no-such-uid");
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.err).toBe(
      `2 deliveries are sent again.\n${open}: This delivery is still on its way.\n` +
        "no-such-uid: There is none, or its receiver was deleted.\n",
    );
    expect(await prisma.webhookDelivery.findMany({ where: { replayOf: sent } })).toMatchObject([{ status: "pending" }]);
    expect(await prisma.notification.findUnique({ where: { uid: message } })).toMatchObject({
      status: "pending",
      attempts: 0,
      error: null,
    });
    const entries = await prisma.auditEntry.findMany({ where: { organizationId: org.uid, actorName: "command line" } });
    expect(entries.map(({ action }) => action).sort()).toEqual(["channel.resent", "webhook.redelivered"]);
  } finally {
    await prisma.webhookDelivery.deleteMany({ where: { organizationId: org.uid } });
    await prisma.notification.deleteMany({ where: { organizationId: org.uid } });
  }
});
