import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ChannelType } from "@/domain/channels/channel-type";
import { channelMessages } from "@/server/features/channels/delivery-service";
import type { TestResult } from "@/server/features/channels/resource";
import { parseEnv, type Env } from "@/server/platform/env";
import { configureEgress } from "@/server/platform/http-client/settings";
import { Outbox } from "@/server/platform/outbox/outbox";
import { processWide } from "@/server/platform/process-wide";
import { makeAlert, makeChannel } from "@/server/testing/alerts";
import { allowLoopback } from "@/server/testing/egress";
import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { startReceiver, type Receiver } from "@/server/testing/receiver";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
let receiver: Receiver;
allowLoopback();
beforeAll(async () => {
  org = await makeOrganization();
});
afterEach(() => receiver?.close());

const later = () => new Date(Date.now() + 60_000);
const drain = () => new Outbox(channelMessages, org.uid).drain(later());
const act = (uid: string, action: string, body: unknown = {}) =>
  request("POST", `/fleet/alerts/${uid}/${action}/`, { key: org.key, body });
const bodies = () => receiver.received.map(({ body }) => JSON.parse(body) as Record<string, unknown>);

/** Triggers, acknowledges and resolves an alert with one channel of that type, sending the messages of each step. */
async function sendLifecycle(
  type: ChannelType,
  config: Record<string, unknown>,
  name = "arm <!channel> & [x](http://evil)",
) {
  const channel = await makeChannel(org, type, config);
  const device = await makeDevice(org, { name });
  const { alertId } = await makeAlert(org, {
    channelIds: [channel.uid],
    device,
    severity: "error",
    message: "91.5 > 80 <b>",
  });
  await drain();
  await act(alertId, "acknowledge");
  await drain();
  await act(alertId, "resolve", { note: "cooled down" });
  await drain();
  return { channel, alertId, device };
}

describe("a webhook channel", () => {
  test("receives triggered, acknowledged and resolved in order, each with both signatures", async () => {
    receiver = await startReceiver();
    const { channel, alertId } = await sendLifecycle("webhook", { url: `${receiver.url}/hook` });
    const secret = channel.signing_secret ?? "";
    const events = ["alert.triggered", "alert.acknowledged", "alert.resolved"];
    expect(bodies().map((body) => body.event)).toEqual(events);
    for (const [index, { headers, body, path }] of receiver.received.entries()) {
      expect(path).toBe("/hook");
      expect(headers).toMatchObject({ "content-type": "application/json", "x-service-event": events[index] });
      expect(headers["x-service-signature"]).toMatch(/^[0-9a-f]{64}$/);
      expect(headers["webhook-id"]).toBe(headers["x-service-delivery"]);
      expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    }
    const [triggered, acknowledged, resolved] = bodies();
    expect(Object.keys(triggered ?? {}).slice(0, 5)).toEqual(["event", "alert", "rule", "evidence", "links"]);
    expect(triggered).toMatchObject({
      alert: { uid: alertId, status: "open", severity: "error", message: "91.5 > 80 <b>" },
      rule: { name: "Motor too hot", version: 1 },
      evidence: { value: 91.5 },
      links: { alert: `http://127.0.0.1:3000/alerts/${alertId}` },
      actor: null,
    });
    expect(acknowledged).toMatchObject({
      alert: { status: "acknowledged", acknowledged_by: org.owner.username },
      actor: org.owner.username,
    });
    expect(resolved).toMatchObject({ alert: { status: "resolved", note: "cooled down" } });
  });
});

describe("a Slack channel", () => {
  test("shows names and messages as plain text, so that a device's name cannot mention anyone", async () => {
    receiver = await startReceiver();
    await sendLifecycle("slack", { webhook_url: receiver.url, channel: "#ops", username: "muster" });
    const [first, , last] = bodies();
    expect(first).toMatchObject({ channel: "#ops", username: "muster", attachments: [{ color: "#ea580c" }] });
    expect(last).toMatchObject({ attachments: [{ color: "#16a34a" }] });
    expect(first?.text).toContain("Triggered: [error] Motor too hot on arm &lt;!channel&gt; &amp;");
    expect(last?.text).toContain(`Resolved by ${org.owner.username}`);
    const texts = JSON.stringify(first).match(/"type":"[a-z_]+","text":"/g) ?? [];
    expect(texts.length).toBeGreaterThan(4);
    expect(texts.every((text) => text.startsWith('"type":"plain_text"'))).toBe(true);
  });
});

describe("a Teams channel", () => {
  test("receives an Adaptive Card whose texts are not parsed as Markdown", async () => {
    receiver = await startReceiver();
    await sendLifecycle("teams", { webhook_url: receiver.url });
    const card = bodies()[0] as {
      type: string;
      attachments: { contentType: string; content: { type: string; body: { type: string }[] } }[];
    };
    expect(card).toMatchObject({
      type: "message",
      attachments: [
        { contentType: "application/vnd.microsoft.card.adaptive", content: { type: "AdaptiveCard", version: "1.4" } },
      ],
    });
    const blocks = card.attachments[0]?.content.body ?? [];
    expect(blocks.length).toBeGreaterThan(3);
    expect(blocks.every((block) => block.type === "RichTextBlock")).toBe(true);
    expect(receiver.received).toHaveLength(3);
  });

  test("a failure reported with status 200 is a failure", async () => {
    receiver = await startReceiver((_request, response) =>
      response.end("Webhook message delivery failed with error: 429"),
    );
    const channel = await makeChannel(org, "teams", { webhook_url: receiver.url });
    const { body } = await request<TestResult>("POST", `/fleet/alerts/channels/${channel.uid}/test/`, { key: org.key });
    expect(body).toMatchObject({ ok: false, status_code: 200, error: "Teams could not deliver the message." });
  });
});

describe("a PagerDuty channel", () => {
  test("triggers, acknowledges and resolves one incident by the alert's uid", async () => {
    receiver = await startReceiver((_request, response) => response.writeHead(202).end('{"status":"success"}'));
    const { alertId, device } = await sendLifecycle("pagerduty", {
      routing_key: "R".repeat(32),
      url: `${receiver.url}/v2/enqueue`,
    });
    const common = { routing_key: "R".repeat(32), dedup_key: alertId };
    expect(bodies()).toMatchObject([
      {
        ...common,
        event_action: "trigger",
        payload: { source: device.name, severity: "error", component: device.uid, class: "Motor too hot" },
      },
      { ...common, event_action: "acknowledge" },
      { ...common, event_action: "resolve" },
    ]);
  });

  test("reopening an alert triggers its incident again, and acknowledges it if it was acknowledged", async () => {
    receiver = await startReceiver();
    const { alertId } = await sendLifecycle("pagerduty", { routing_key: "R".repeat(32), url: receiver.url });
    expect((await act(alertId, "reopen")).body).toMatchObject({ status: "acknowledged" });
    await drain();
    expect(
      bodies()
        .slice(3)
        .map((body) => body.event_action),
    ).toEqual(["trigger", "acknowledge"]);
  });

  test("a test leaves no incident open", async () => {
    receiver = await startReceiver();
    const channel = await makeChannel(org, "pagerduty", { routing_key: "R".repeat(32), url: receiver.url });
    await request("POST", `/fleet/alerts/channels/${channel.uid}/test/`, { key: org.key });
    expect(bodies().map((body) => body.event_action)).toEqual(["trigger", "resolve"]);
    expect(new Set(bodies().map((body) => body.dedup_key)).size).toBe(1);
  });
});

describe("an e-mail channel", () => {
  const settings = () => processWide<Env>("env", () => parseEnv(process.env));
  const withMailServer = (url: string | undefined) => {
    const before = settings().SMTP_URL;
    Object.assign(settings(), { SMTP_URL: url });
    return () => Object.assign(settings(), { SMTP_URL: before });
  };

  test("sends one mail to all recipients, with a one-line subject and the alert's text escaped", async () => {
    const mails: { to: string[]; content: string }[] = [];
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      logger: false,
      onData(stream, session, callback) {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          mails.push({
            to: session.envelope.rcptTo.map(({ address }) => address),
            content: Buffer.concat(chunks).toString(),
          });
          callback();
        });
      },
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const undo = withMailServer(`smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`);
    try {
      const config = {
        recipients: ["a@example.com", "b@example.com"],
        subject_prefix: "[Fleet]\r\nBcc: x@evil.com",
      };
      const { channel } = await sendLifecycle("email", config, "arm\r\nBcc: y@evil.com\n\u0085Click: http://evil");
      expect(mails.map((mail) => mail.to)).toEqual(Array(3).fill(["a@example.com", "b@example.com"]));
      const [first] = mails;
      expect(first?.content).toMatch(/^Subject: \[Fleet\] Bcc: x@evil.com Triggered: \[error\]/m);
      expect(first?.content).not.toMatch(/^Bcc:/m);
      const plain = first?.content.replaceAll("=\r\n", "").replaceAll("=3D", "=") ?? "";
      expect(plain).not.toMatch(/^(Bcc|Click):/m);
      expect(plain).toContain("Device: arm Bcc: y@evil.com Click: http://evil");
      expect(plain).toContain("91.5 &gt; 80 &lt;b&gt;");
      expect(plain).toContain("http://127.0.0.1:3000/alerts/alt_");
      const log = await request("GET", `/fleet/alert-channels/${channel.uid}/deliveries/`, { key: org.key });
      expect(log.body.results).toMatchObject(Array(3).fill({ status: "delivered", status_code: 250, attempts: 1 }));
    } finally {
      undo();
      await new Promise<void>((resolve) => server.close(resolve));
    }
  });

  test("reports that no mail server is set up", async () => {
    const undo = withMailServer(undefined);
    const channel = await makeChannel(org, "email", { recipients: ["a@example.com"] });
    const { body } = await request<TestResult>("POST", `/fleet/alerts/channels/${channel.uid}/test/`, { key: org.key });
    expect(body).toMatchObject({ ok: false, error: "No mail server is set up (SMTP_URL)." });
    undo();
  });
});

describe("testing a channel", () => {
  test("returns the receiver's response and logs it as a delivery", async () => {
    receiver = await startReceiver((_request, response) => response.writeHead(404).end("no_service"));
    const channel = await makeChannel(org, "slack", { webhook_url: receiver.url });
    const url = `/fleet/alerts/channels/${channel.uid}/`;
    const failed = await request<TestResult>("POST", `${url}test/`, { key: org.key });
    expect(failed).toMatchObject({
      status: 200,
      body: { ok: false, status_code: 404, error: "The receiver answered 404." },
    });
    receiver.respondWith((_request, response) => response.end("ok"));
    const passed = await request<TestResult>("POST", `${url}test/`, { key: org.key });
    expect(passed).toMatchObject({ status: 200, body: { ok: true, status_code: 200, error: null } });
    const log = await request("GET", `${url}deliveries/`, { key: org.key });
    expect(log.body.results).toMatchObject([
      { status: "delivered", event: "channel.test", attempts: 1, attempt_log: [{ ok: true, response: "ok" }] },
      { status: "failed", alert_id: null, attempt_log: [{ ok: false, status_code: 404, response: "no_service" }] },
    ]);
  });

  test("an address that has become blocked gets no packet", async () => {
    receiver = await startReceiver();
    const channel = await makeChannel(org, "slack", { webhook_url: receiver.url });
    const undo = configureEgress({ allow: [] });
    const { body } = await request<TestResult>("POST", `/fleet/alerts/channels/${channel.uid}/test/`, { key: org.key });
    undo();
    expect(body).toMatchObject({ ok: false, status_code: null });
    expect(body.error).toContain("blocked address");
    expect(receiver.connections()).toBe(0);
  });
});
