import { afterAll, beforeAll, expect, test } from "vitest";
import { flushToolCalls } from "@/server/platform/mcp/tool-calls";
import { addMember, makeOrganization, type TestMember } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";
import { callTool, connectModel } from "@/server/testing/model-host";
import { createTrpcCaller } from "@/server/testing/requests";

const org = await makeOrganization();
const staff = await addMember(org, "admin", { staff: true });

let server: Loopback;
beforeAll(async () => {
  server = await startLoopback();
});
afterAll(() => server.close());

const connect = ({ key }: TestMember) => connectModel(`${server.url}/api/v1/mcp/`, key);
const calls = async (member?: TestMember) => {
  await flushToolCalls();
  return (await createTrpcCaller(org, member).mcp.calls()).map(({ tool, outcome, detail }) => [tool, outcome, detail]);
};

test("the last calls name the tool and how it ended, newest first, to those who may see them", async () => {
  const host = await connect(staff);
  await callTool(host, "devices_list", {});
  await callTool(host, "devices_get", { uid: "dev_unknown" });
  expect(await calls()).toEqual([
    ["devices_get", "refused", "Not found."],
    ["devices_list", "ok", ""],
  ]);
  const [first] = await createTrpcCaller(org).mcp.calls();
  expect([first?.actor_name, (first?.ms ?? -1) >= 0]).toEqual([expect.any(String), true]);
  const member = await addMember(org, "member", { staff: true });
  expect(await calls(member)).toEqual([]);
  await callTool(await connect(member), "devices_list", {});
  expect(await calls(member)).toEqual([["devices_list", "ok", ""]]);
  expect(await createTrpcCaller(await makeOrganization()).mcp.calls()).toEqual([]);
});

test("says whether the person is staff and whether the operator allows writes", async () => {
  expect(await createTrpcCaller(org).mcp.info()).toMatchObject({ writes: false, staff: false });
  expect(await createTrpcCaller(org, staff, { staff: true }).mcp.info()).toMatchObject({ writes: false, staff: true });
});

test("counts the tools of each area that the address lists, and what a model reads of them", async () => {
  const { areas } = await createTrpcCaller(org, staff, { staff: true }).mcp.info();
  expect(areas.map(({ name }) => name)).toEqual(expect.arrayContaining(["fleet", "alerts", "datasets", "exports"]));
  const { tools: all } = await (await connect(staff)).listTools();
  expect(areas.reduce((sum, { tools }) => sum + tools, 0)).toBe(all.length);
  const some = areas.filter(({ name }) => name === "fleet" || name === "work-batches");
  expect(some.map(({ about }) => about)).toEqual([
    "Summaries that answer an operator's question in one call.",
    "Tasks in portions of 100.",
  ]);
  const host = await connectModel(`${server.url}/api/v1/mcp/?areas=fleet,work-batches`, staff.key);
  const { tools } = await host.listTools();
  expect(some.map((area) => area.tools)).toEqual([3, tools.length - 3]);
  const read = tools.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }));
  expect(some.reduce((sum, { characters }) => sum + characters, 0)).toBe(
    read.reduce((sum, { length }) => sum + length, 0),
  );
  // Only what is listed is recommended.
  expect(host.getInstructions()).toContain("call fleet_health");
  expect(host.getInstructions()).not.toContain("rules_preview");
});
