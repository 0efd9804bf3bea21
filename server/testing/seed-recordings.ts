import { makeDevice, makeOrganization } from "@/server/testing/factories";
import { jsonRecording, temperatures, uploadRecording } from "@/server/testing/processing";

// Uploads recordings of two organizations to the database and folder of its environment, for a test on another database.
const values = Array.from({ length: Number(process.env.VALUES) }, (_, at) => at % 50);
const bytes = await jsonRecording({ "/motor/temp": temperatures(values) });
const uids: string[] = [];
for (let n = 0; n < 2; n++) {
  const organization = await makeOrganization();
  const { uid } = await makeDevice(organization);
  uids.push(await uploadRecording(organization, uid, [bytes]));
}
process.send?.({ uids });
process.disconnect();
