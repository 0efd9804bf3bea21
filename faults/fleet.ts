import type { Product } from "@/bench/product";
import type { Credential } from "@/cli/client/api-client";

interface RobotDevice {
  uid: string;
  token: string;
}

/** What the load runs on: devices, a channel, and rules whose number of triggers in each recording is known. */
export interface Fleet {
  devices: RobotDevice[];
  key: Credential;
  rules: { hot: string; veryHot: string; never: string };
}

const motor = { type: "threshold", topic: "/motor/temp", field: "value" };

export async function makeFleet(product: Product, receiverUrl: string, devices: number): Promise<Fleet> {
  const { uid: channel_id } = await product.call<{ uid: string }>("POST", "/fleet/alerts/channels/", {
    name: "Control room",
    type: "webhook",
    config: { url: `${receiverUrl}/alerts` },
  });
  const rule = async (name: string, condition: object, severity: string, label?: string) => {
    const event = label === undefined ? [] : [{ type: "create_event", event_type: "anomaly", label }];
    const body = {
      name,
      condition,
      actions: [...event, { type: "notify", channel_id, severity }, { type: "tag", value: name }],
    };
    return (await product.call<{ uid: string }>("POST", "/fleet/rules/", body)).uid;
  };
  const rules = {
    hot: await rule("hot", { ...motor, operator: "gt", value: 80 }, "critical", "Motor is hot"),
    veryHot: await rule("very-hot", { ...motor, operator: "gt", value: 90 }, "warning"),
    never: await rule("never", { ...motor, operator: "lt", value: 0 }, "critical", "Motor is frozen"),
  };
  const made: RobotDevice[] = [];
  for (let n = 0; n < devices; n++) {
    const device = await product.call<{ uid: string; device_token: string }>("POST", "/fleet/devices/", {
      name: `robot-${n}`,
    });
    made.push({ uid: device.uid, token: device.device_token });
  }
  return { devices: made, key: { header: "x-service-api-key", secret: product.key }, rules };
}
