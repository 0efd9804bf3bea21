import { makeDevice, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { startLoopback, type Loopback } from "@/server/testing/loopback";

/** What tests of uploads need: an organization, a device with its token, and the app behind a real HTTP server. */
export interface UploadSite {
  org: TestOrganization;
  deviceId: string;
  token: string;
  server: Loopback;
}

export async function openUploadSite(): Promise<UploadSite> {
  const org = await makeOrganization();
  const { uid, device_token } = await makeDevice(org);
  return { org, deviceId: uid, token: device_token, server: await startLoopback() };
}
