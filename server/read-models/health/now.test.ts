import { expect, test } from "vitest";
import { env } from "@/server/platform/env";
import { makeAlert } from "@/server/testing/alerts";
import { makeDevice, makeOrganization, makeRecording } from "@/server/testing/factories";
import { setRollupProgress, writeMetrics } from "@/server/testing/metric-rows";
import { createTrpcCaller } from "@/server/testing/requests";

const hour = 3_600_000;

test("a device now has its metrics with what they mean, their last day, what is open and its last recording", async () => {
  const now = Date.now();
  const before = now - 3 * 24 * hour;
  await setRollupProgress({ raw: before, "5m": before, "1h": before });
  const org = await makeOrganization();
  const caller = createTrpcCaller(org);
  const device = await makeDevice(org);
  const open = { info: 0, warning: 0, error: 0, critical: 0 };
  expect(await caller.health.now({ uid: device.uid })).toEqual({
    metrics: [],
    since: expect.any(String) as string,
    open_alerts: 0,
    open,
    style_url: env.MAP_STYLE_URL ?? null,
    last_recording: null,
  });

  await writeMetrics(device.uid, [
    [now - 30 * hour, { battery: 0.9 }],
    [now - 2 * hour, { battery: 0.5, cpu: 0.95 }],
    [now - hour, { mode: "auto", battery: 0.05, a1: 1, a2: 2, a3: 3, a4: 4, a5: 5 }],
  ]);
  await makeRecording(org, device.uid, { startedAt: new Date(now - hour), name: "first" });
  const last = await makeRecording(org, device.uid, { startedAt: new Date(now - 1_000), name: "last" });
  const { metrics, ...rest } = await caller.health.now({ uid: device.uid });
  expect(rest).toEqual({
    since: expect.any(String) as string,
    open_alerts: 0,
    open,
    style_url: env.MAP_STYLE_URL ?? null,
    last_recording: { uid: last.uid, name: "last", started_at: new Date(now - 1_000).toISOString() },
  });
  expect(metrics.map(({ name, text, judgement }) => [name, text, judgement]).slice(0, 4)).toEqual([
    ["battery", "5 %", "critical"],
    ["cpu", "95 %", "warning"],
    ["mode", "auto", "unknown"],
    ["a1", "1", "unknown"],
  ]);
  expect(metrics.find(({ name }) => name === "mode")?.changed_at).toBe(new Date(now - hour).toISOString());
  expect(metrics[0]?.changed_at).toBeNull();
  expect(metrics[0]?.points?.map(([, , mean]) => mean)).toEqual([0.5, 0.05]);
  // Six are drawn: battery, cpu and the first four others.
  expect(metrics.filter(({ points }) => points !== null)).toHaveLength(6);
});

test("open alerts are counted by severity", async () => {
  const org = await makeOrganization();
  const device = await makeDevice(org);
  for (const severity of ["critical", "warning", "warning"] as const) await makeAlert(org, { device, severity });
  const { alertId } = await makeAlert(org, { device, severity: "critical" });
  await createTrpcCaller(org).alerts.resolve({ uid: alertId });
  const { open, open_alerts } = await createTrpcCaller(org).health.now({ uid: device.uid });
  expect([open, open_alerts]).toEqual([{ info: 0, warning: 2, error: 0, critical: 1 }, 3]);
});

test("of a device of another organization there is nothing", async () => {
  const [own, other] = [await makeOrganization(), await makeOrganization()];
  const { uid } = await makeDevice(other);
  await expect(createTrpcCaller(own).health.now({ uid })).rejects.toMatchObject({ code: "NOT_FOUND" });
});
