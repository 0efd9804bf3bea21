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
  expect(await createTrpcCaller(org).mcp.info()).toEqual({ writes: false, staff: false });
  expect(await createTrpcCaller(org, staff, { staff: true }).mcp.info()).toEqual({ writes: false, staff: true });
});
