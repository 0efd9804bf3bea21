import { expect, test } from "vitest";
import { demoReceiver } from "@/domain/demo/receiver";
import { registerAgent, updateAgent } from "@/server/features/agents/service";
import { createChannel, updateChannel } from "@/server/features/channels/service";
import { createWebhook, updateWebhook } from "@/server/features/webhooks/service";
import { checkUrl, sendOutbound, streamOutbound } from "@/server/platform/http-client/http-client";
import { makeOrganization } from "@/server/testing/factories";

const org = await makeOrganization();
const events = ["export.completed"] as const;

test("what is sent to the demo's receiver is answered in the process, by its address and content", async () => {
  const send = async (url: string, body: unknown) => {
    const { status, body: text } = await sendOutbound({ url, body: JSON.stringify(body) });
    return [status, JSON.parse(text) as unknown];
  };
  expect(await send(demoReceiver.alerts, { event: "alert.triggered" })).toEqual([200, { received: true }]);
  expect(await send(demoReceiver.events, { event: "export.completed", format: "YOLO" })).toMatchObject([422, {}]);
  const box = (side: number) => ({ label: "pallet", coordinates: { x: 0, y: 0, width: side, height: side } });
  const decide = (...sides: number[]) =>
    send(demoReceiver.agent, { event: "result.submitted", result_data: sides.map(box) });
  expect(await decide(40, 20)).toMatchObject([200, { action: "approve" }]);
  expect(await decide(40, 8)).toMatchObject([200, { action: "reject", reason: expect.stringContaining("Box 2") }]);
  expect(await decide()).toMatchObject([202, { received: true }]);
  expect((await sendOutbound({ url: demoReceiver.events, body: "no JSON" })).status).toBe(400);
});

test("nothing but rows of the demo may hold its address", async () => {
  for (const url of [demoReceiver.events, "https://RECEIVER.demo.invalid./x", "https://receiver.demo.invalid:8443/"])
    expect(checkUrl(url)).toMatchObject({ ok: false });
  await expect(streamOutbound({ url: demoReceiver.events, method: "GET" })).rejects.toMatchObject({ fault: "blocked" });
  const [target_url, callback_url] = [demoReceiver.events, demoReceiver.agent];
  const config = { url: demoReceiver.alerts };
  const { ctx } = org;
  await expect(createWebhook(ctx, { target_url, events: [...events] })).rejects.toThrow();
  await expect(registerAgent(ctx, { name: "own", events: [...events], callback_url })).rejects.toThrow();
  await expect(createChannel(ctx, { name: "own", type: "webhook", config })).rejects.toThrow();

  const own = await createWebhook(ctx, { target_url: "https://example.com/own", events: [...events] });
  await expect(updateWebhook(ctx, own.uid, { target_url })).rejects.toThrow();
  const webhook = await createWebhook(ctx, { target_url, events: [...events], demo: true });
  const agent = await registerAgent(ctx, { name: "demo", events: [...events], callback_url, demo: true });
  const channel = await createChannel(ctx, { name: "demo", type: "webhook", config, demo: true });
  // A change of something else leaves the address as it is.
  expect((await updateWebhook(ctx, webhook.uid, { target_url, is_active: false })).demo).toBe(true);
  expect((await updateAgent(ctx, agent.uid, { callback_url, is_active: false })).demo).toBe(true);
  expect((await updateChannel(ctx, channel.uid, { name: "renamed", config })).name).toBe("renamed");
});
