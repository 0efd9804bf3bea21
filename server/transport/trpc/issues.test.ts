import { fetchRequestHandler } from "@trpc/server/adapters/fetch";
import { beforeAll, describe, expect, test } from "vitest";
import type { Issue } from "@/domain/issues";
import { compose } from "@/server/testing/composition";
import { makeDevice, makeOrganization, sessionCookie, type TestOrganization } from "@/server/testing/factories";
import { createContext } from "@/server/transport/trpc/init";

const { appRouter } = await compose("trpc-root");

let org: TestOrganization;
let cookie: string;
beforeAll(async () => {
  org = await makeOrganization();
  cookie = await sessionCookie(org.owner);
});

/** The issues of a refused mutation, as a browser receives them. */
async function issuesFor(procedure: string, input: unknown): Promise<Issue[] | null> {
  const response = await fetchRequestHandler({
    endpoint: "/api/trpc",
    req: new Request(`http://localhost/api/trpc/${procedure}`, {
      method: "POST",
      headers: { cookie, "content-type": "application/json" },
      body: JSON.stringify(input),
    }),
    router: appRouter,
    createContext: ({ req }) => createContext(req.headers),
  });
  const { error } = (await response.json()) as { error: { data: { issues: Issue[] | null } } };
  return error.data.issues;
}

describe("an issue of an input over tRPC", () => {
  test("has the path of its field, with names and positions", async () => {
    const topicless = { type: "threshold", field: "value", operator: "gt", value: 1 };
    const condition = { type: "composite", operator: "and", conditions: [{ ...topicless, topic: "/a" }, topicless] };
    const rule = { name: "r", condition, actions: [{ type: "tag", value: "" }] };
    expect(await issuesFor("rules.create", rule)).toEqual([
      { path: ["condition", "conditions", 1, "topic"], message: "This field is required." },
      { path: ["actions", 0, "value"], message: "This field may not be blank." },
    ]);
  });

  test("has the same path when a service finds it", async () => {
    const uid = "ch_00000000-0000-7000-8000-000000000000";
    const condition = { type: "absence", topic: "/a", timeout: "5s" };
    expect(
      await issuesFor("rules.create", { name: "r", condition, actions: [{ type: "notify", channel_id: uid }] }),
    ).toEqual([{ path: ["actions", 0, "channel_id"], message: `Invalid pk "${uid}" - object does not exist.` }]);
  });

  test("of an update has the same path as of a creation", async () => {
    const device = await makeDevice(org);
    expect(await issuesFor("devices.update", { uid: device.uid, change: { name: "", tags: ["ok", ""] } })).toEqual([
      { path: ["name"], message: "This field may not be blank." },
      { path: ["tags", 1], message: "This field may not be blank." },
    ]);
  });

  test("has an empty path when it has no field", async () => {
    expect(await issuesFor("organizations.leave", {})).toEqual([
      { path: [], message: expect.stringContaining("owner cannot leave") as string },
    ]);
  });

  test("is absent from other refusals", async () => {
    const uid = "dev_00000000-0000-7000-8000-000000000000";
    expect(await issuesFor("devices.delete", { uid })).toBeNull();
  });
});
