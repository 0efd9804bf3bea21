import { beforeAll, describe, expect, test } from "vitest";
import { addMember, makeKey, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { request } from "@/server/testing/requests";

/** Addresses of receivers often hold a token, so only those who may change them see all of one. */

const token = "T000-B000-a-token-of-the-receiver";
const address = `https://receiver.example.com/hooks/${token}`;
const shown = "https://receiver.example.com/••••••••iver";

let org: TestOrganization;
/** The keys of people who may read but not change addresses, and of those who may. */
let readers: Record<string, string>;
let changers: Record<string, string>;
beforeAll(async () => {
  org = await makeOrganization();
  const [member, viewer, admin] = await Promise.all([
    addMember(org, "member"),
    addMember(org, "member", { readOnly: true }),
    addMember(org, "admin"),
  ]);
  const reading = await makeKey(org, org.owner, { scopes: ["fleet.read", "webhooks.read", "agents.read"] });
  readers = { member: member.key, viewer: viewer.key, "owner's key that can only read": reading };
  changers = { owner: org.key, admin: admin.key };
});

const places = [
  {
    name: "a channel of type webhook",
    path: "/fleet/alerts/channels/",
    body: { name: "a", type: "webhook", config: { url: address } },
  },
  {
    name: "a channel of type pagerduty",
    path: "/fleet/alerts/channels/",
    body: { name: "b", type: "pagerduty", config: { routing_key: "R0123456789ABCDEFGHIJKLMNOPQRSTU", url: address } },
  },
  { name: "a webhook", path: "/webhooks/", body: { target_url: address, events: ["export.completed"] } },
  {
    name: "an agent",
    path: "/agents/",
    body: { name: "c", events: ["result.submitted"], callback_url: address },
  },
];

describe.each(places)("the address of $name", ({ path, body }) => {
  let uid: string;
  beforeAll(async () => {
    const created = await request("POST", path, { key: org.key, body });
    expect([created.status, JSON.stringify(created.body)]).toEqual([201, expect.stringContaining(address)]);
    uid = String(created.body.uid);
  });

  const readBoth = async (key: string) => {
    const responses = await Promise.all([`${path}${uid}/`, path].map((at) => request("GET", at, { key })));
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    return responses.map((response) => JSON.stringify(response.body));
  };

  test("is shown whole to those who may change it", async () => {
    for (const key of Object.values(changers)) {
      for (const text of await readBoth(key)) expect(text).toContain(address);
    }
  });

  test("is shown to all others as its origin only", async () => {
    for (const [who, key] of Object.entries(readers)) {
      for (const text of await readBoth(key)) {
        expect([who, text]).toEqual([who, expect.stringContaining(shown)]);
        expect([who, text]).toEqual([who, expect.not.stringContaining(token)]);
      }
    }
  });
});
