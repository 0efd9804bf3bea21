import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ChannelResource, CreatedChannel } from "@/server/features/channels/resource";
import { openChannel } from "@/server/features/channels/service";
import { prisma } from "@/server/platform/db";
import { configureEgress } from "@/server/platform/http-client/settings";
import type { Page } from "@/server/platform/pagination";
import { newUid } from "@/server/platform/uid";
import { makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";

let org: TestOrganization;
let other: TestOrganization;
let restore: () => void;
beforeAll(async () => {
  restore = configureEgress({ allow: [] });
  [org, other] = await Promise.all([makeOrganization(), makeOrganization()]);
});
afterAll(() => restore());

const path = "/fleet/alerts/channels/";
const create = (body: unknown, key = org.key) => request<CreatedChannel>("POST", path, { key, body });
const get = (uid: string, key = org.key) => request<ChannelResource>("GET", `${path}${uid}/`, { key });
const patch = (uid: string, body: unknown) =>
  request<ChannelResource>("PATCH", `${path}${uid}/`, { key: org.key, body });
const opened = async (uid: string) => (await openChannel(org.ctx, uid)).config;

const slackUrl = "https://hooks.slack.com/services/T000/B000/abcdefgh12345678";
const slack = (name = "ops") => create({ name, type: "slack", config: { webhook_url: slackUrl, channel: "#ops" } });

describe("adding a channel", () => {
  test("a channel is read as it was created, with its secret masked", async () => {
    const { status, body } = await slack();
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "ops", type: "slack", config: { channel: "#ops" } });
    expect(body.uid).toMatch(/^ch_/);
    expect(body.config.webhook_url).toBe("https://hooks.slack.com/••••••••5678");
    expect((await get(body.uid)).body).toEqual(body);
    expect(await opened(body.uid)).toEqual({ webhook_url: slackUrl, channel: "#ops" });
  });

  test("a secret is stored encrypted only, and bound to its organization", async () => {
    const { body } = await create({
      name: "pd",
      type: "pagerduty",
      config: { routing_key: "R0123456789ABCDEFGHIJKLMNOPQRSTU" },
    });
    const row = await prisma.channel.findUniqueOrThrow({ where: { uid: body.uid } });
    const entries = await prisma.auditEntry.findMany({ where: { targetId: body.uid } });
    expect(JSON.stringify([row, entries])).not.toContain("R0123456789ABCDEFGHIJKLMNOPQRSTU");
    expect(body.config).toEqual({ routing_key: "••••••••RSTU" });
    await prisma.channel.update({ where: { uid: body.uid }, data: { organizationId: other.uid } });
    await expect(openChannel(other.ctx, body.uid)).rejects.toThrow();
  });

  test("a webhook without a secret gets one, shown once; a given one is used and not shown", async () => {
    const generated = (await create({ name: "w", type: "webhook", config: { url: "https://example.com/hook" } })).body;
    expect(generated.signing_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(generated.config).toEqual({
      url: "https://example.com/hook",
      signing_secret: `••••••••${generated.signing_secret?.slice(-4)}`,
    });
    const { signing_secret: _, ...shown } = generated;
    expect((await get(generated.uid)).body).toEqual(shown);
    const config = { url: "https://example.com/hook", signing_secret: "a given secret" };
    const supplied = (await create({ name: "w", type: "webhook", config })).body;
    expect(supplied.signing_secret).toBeUndefined();
    expect(await opened(supplied.uid)).toEqual(config);
  });

  const required = "This field is required.";
  test.each([
    [{}, { name: [required], type: [required] }],
    [
      { name: "a", type: "sms", config: {} },
      { type: ['"sms" is not a valid choice. Choices: slack, email, webhook, pagerduty, teams.'] },
    ],
    [{ name: "a", type: "slack" }, { config: [`webhook_url: ${required}`] }],
    [{ name: "a", type: "slack", config: [] }, { config: ['Expected a dictionary of items but got type "list".'] }],
    [{ name: "a", type: "slack", config: { webhook_url: 3 } }, { config: ["webhook_url: Not a valid string."] }],
    [
      { name: "a", type: "slack", config: { webhook_url: null } },
      { config: ["webhook_url: This field may not be null."] },
    ],
    [
      { name: "a", type: "slack", config: { webhook_url: " " } },
      { config: ["webhook_url: This field may not be blank."] },
    ],
    [{ name: "a", type: "email", config: {} }, { config: [`recipients: ${required}`] }],
    [{ name: "a", type: "email", config: { recipients: [] } }, { config: ["recipients: This list may not be empty."] }],
    [
      { name: "a", type: "email", config: { recipients: ["x"] } },
      { config: ["recipients.0: Enter a valid email address."] },
    ],
    [
      { name: "a", type: "email", config: { recipients: "a@b.c" } },
      { config: ['recipients: Expected a list of items but got type "string".'] },
    ],
    [
      { name: "a", type: "webhook", config: { url: "https://example.com", signing_secret: "short" } },
      { config: ["signing_secret: Ensure this field has at least 8 characters."] },
    ],
    [{ name: "a", type: "pagerduty", config: {} }, { config: [`routing_key: ${required}`] }],
    [
      { name: "x".repeat(256), type: "teams", config: {} },
      { name: ["Ensure this field has no more than 255 characters."] },
    ],
  ])("%j is refused, naming the member", async (body, expected) => {
    const response = await create(body);
    expect([response.status, response.body]).toEqual([400, expected]);
  });

  test.each([
    "http://example.com/",
    "ftp://example.com/",
    "//x",
    "javascript:alert(1)",
    "https://u:p@example.com/",
    "https://example.com/#f",
    "https://example.com:22/",
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://[::ffff:7f00:1]/",
    "https://0x7f.1/",
    "https://2130706433/",
    "https://①②⑦.⓪.⓪.①/",
    "https://%31%32%37.0.0.1/",
    "https://localhost./",
    "https://169.254.169.254/",
    `https://example.com/${"a".repeat(2_040)}`,
  ])("a blocked address (%s) is refused for every type that has one", async (url) => {
    for (const [type, config] of [
      ["slack", { webhook_url: url }],
      ["teams", { webhook_url: url }],
      ["webhook", { url }],
      ["pagerduty", { routing_key: "key", url }],
    ] as const) {
      const response = await create({ name: "a", type, config });
      expect(response.status).toBe(400);
      expect(Object.keys(response.body)).toEqual(["config"]);
    }
  });
});

describe("changing a channel", () => {
  test("config is merged: members replace, null removes, and a masked secret keeps the stored one", async () => {
    const { body } = await slack();
    const changed = await patch(body.uid, {
      name: "ops 2",
      config: { ...body.config, channel: null, username: "muster" },
    });
    expect(changed.body).toMatchObject({
      name: "ops 2",
      config: { webhook_url: body.config.webhook_url, username: "muster" },
    });
    expect(changed.body.config.channel).toBeUndefined();
    expect(await opened(body.uid)).toEqual({ webhook_url: slackUrl, username: "muster" });
    await patch(body.uid, { config: { webhook_url: "https://hooks.slack.com/services/new/secret/here1234567" } });
    expect(await opened(body.uid)).toMatchObject({
      webhook_url: "https://hooks.slack.com/services/new/secret/here1234567",
    });
  });

  test("an empty or a refused change changes nothing", async () => {
    const { body } = await slack();
    expect(await patch(body.uid, {})).toMatchObject({ status: 200, body });
    expect((await patch(body.uid, { config: { webhook_url: null } })).status).toBe(400);
    expect((await patch(body.uid, { config: { webhook_url: "https://10.0.0.1/" } })).status).toBe(400);
    expect((await get(body.uid)).body).toEqual(body);
    expect(await opened(body.uid)).toMatchObject({ webhook_url: slackUrl });
  });

  test("a channel that rules use cannot be deleted; the error names them", async () => {
    const { body } = await slack();
    const rule = await prisma.rule.create({
      data: {
        uid: newUid("rule"),
        organizationId: org.uid,
        name: "Too hot",
        conditionType: "threshold",
        condition: {},
        actions: [
          { type: "tag", value: "x" },
          { type: "notify", channel_id: body.uid, severity: "error" },
        ],
      },
    });
    const refused = await request("DELETE", `${path}${body.uid}/`, { key: org.key });
    expect([refused.status, refused.body]).toEqual([400, { non_field_errors: ['This channel is used by "Too hot".'] }]);
    await prisma.rule.delete({ where: { uid: rule.uid } });
    expect((await request("DELETE", `${path}${body.uid}/`, { key: org.key })).status).toBe(204);
    expect((await get(body.uid)).status).toBe(404);
  });
});

describe("finding channels", () => {
  test("both paths list only the organization's channels, newest first", async () => {
    const first = (await create({ name: "a", type: "teams", config: { webhook_url: slackUrl } }, other.key)).body;
    const second = (await create({ name: "b", type: "teams", config: { webhook_url: slackUrl } }, other.key)).body;
    for (const at of [path, "/fleet/alert-channels/"]) {
      const page = await request<Page<ChannelResource>>("GET", `${at}?type=teams`, { key: other.key });
      expect(page.body.results.map((channel) => channel.uid)).toEqual([second.uid, first.uid]);
    }
    expect((await get(first.uid)).status).toBe(404);
    expect((await patch(first.uid, { name: 3 })).status).toBe(404);
    expect((await request("DELETE", `${path}${first.uid}/`, { key: org.key })).status).toBe(404);
    expect((await request("POST", `${path}${first.uid}/test/`, { key: org.key })).status).toBe(404);
    expect((await request("GET", `${path}${first.uid}/deliveries/`, { key: org.key })).status).toBe(404);
  });
});
