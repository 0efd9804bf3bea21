import { expect, test } from "vitest";
import { recordHeartbeat } from "@/server/features/devices/heartbeat-service";
import { getHeartbeatTopic } from "@/server/features/rules/heartbeat-topic-queries";
import { makeDevice, makeOrganization } from "@/server/testing/factories";

test("heartbeats are a topic whose fields are the metrics that devices in scope have sent, with their kinds", async () => {
  const [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);
  const [device, silent] = [await makeDevice(org, { tags: ["amr"] }), await makeDevice(org)];
  const metrics = { battery: 0.8, mode: "auto", charging: false, disk: { free_gb: 12 } };
  await recordHeartbeat(org.ctx, device.uid, { metrics });
  await recordHeartbeat(other.ctx, (await makeDevice(other)).uid, { metrics: { foreign: 1 } });
  expect(await getHeartbeatTopic(org.ctx, null)).toMatchObject({
    name: "@heartbeat",
    device_count: 1,
    devices_total: 2,
    fields: [
      { path: "battery", kind: "number" },
      { path: "charging", kind: "boolean" },
      { path: "disk.free_gb", kind: "number" },
      { path: "mode", kind: "string" },
    ],
  });
  expect(await getHeartbeatTopic(org.ctx, { device_ids: [silent.uid] })).toMatchObject({ device_count: 0, fields: [] });
});
