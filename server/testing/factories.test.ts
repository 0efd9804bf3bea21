import { expect, test } from "vitest";
import { addMember, makeDevice, makeOrganization, sessionCookie } from "@/server/testing/factories";
import { request, createTrpcCaller } from "@/server/testing/requests";
import { readSession } from "@/server/transport/session/session";

test("every transport accepts the credentials that the factories create", async () => {
  const organization = await makeOrganization();
  const device = await makeDevice(organization);
  const member = await addMember(organization, "member");

  const overRest = await request("GET", "/fleet/devices/", { key: member.key });
  expect(overRest.status).toBe(200);
  expect(overRest.body.results.map((each) => each.uid)).toEqual([device.uid]);
  const heartbeat = await request("POST", "/fleet/devices/me/heartbeat/", { token: device.device_token, body: {} });
  expect(heartbeat.body).toMatchObject({ uid: device.uid, status: "online" });
  expect((await createTrpcCaller(organization, member).devices.list({})).results).toHaveLength(1);
  expect(await readSession(await sessionCookie(member))).toMatchObject({ userId: member.uid, role: "member" });
});
