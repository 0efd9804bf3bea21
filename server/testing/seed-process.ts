import { createRule } from "@/server/features/rules/service";
import { makeDevice, makeOrganization } from "@/server/testing/factories";

// Makes an organization with a device and a rule in the database of its environment, for a test on another database.
const org = await makeOrganization();
const device = await makeDevice(org);
await createRule(org.ctx, {
  name: "Hot",
  condition: { type: "threshold", topic: "/motor/temp", field: "data.value", operator: "gt", value: 80 },
  actions: [
    { type: "tag", value: "hot" },
    { type: "create_event", event_type: "anomaly", label: "hot", severity: "error" },
  ],
});
process.send?.({ key: org.key, deviceId: device.uid, token: device.device_token });
