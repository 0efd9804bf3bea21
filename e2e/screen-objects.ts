import http from "node:http";
import type { AddressInfo } from "node:net";
import type { APIRequestContext } from "@playwright/test";
import { startS3Bucket } from "@/server/testing/s3-bucket";
import { annotateYard, seedExport } from "./data-loop";
import { expect, type Api } from "./fixtures";

interface Made {
  uid: string;
}

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

/** A receiver of webhooks that takes what comes to /taken and refuses everything else. */
async function startReceiver() {
  const server = http.createServer((request, response) => {
    const isTaken = request.url === "/taken";
    request.resume().on("end", () => response.writeHead(isTaken ? 200 : 503).end(isTaken ? "taken" : "out of order"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/**
 * What the demo fleet has none of, one or two of each kind, in the organization of that name; `close` ends the servers
 * that they refer to.
 */
export async function makeScreenObjects(api: Api, request: APIRequestContext, organization: string) {
  const receiver = await startReceiver();
  const s3 = await startS3Bucket();
  const { dataset, project } = await annotateYard(request, api);
  await api.post("/slices/", {
    name: "Wide pictures",
    dataset: dataset.uid,
    filter_query_string: "metadata.width >= 320",
  });
  await api.post("/slices/", { name: "Everything in the yard", dataset: dataset.uid });
  const exported = await api.post<Made>("/exports/", {
    name: "Crossings for training",
    format: "YOLO",
    datasets: [],
    projects: [project.uid],
    slices: [],
  });
  await expect
    .poll(async () => (await api.get<{ status: string }>(`/exports/${exported.uid}/`)).status)
    .toBe("exported");
  for (const status of ["exporting", "failed"] as const)
    await seedExport(organization, dataset.uid, { name: `Yard, ${status}`, status });
  await api.post("/agents/", { name: "Label checker", events: ["result.submitted"] });
  await api.post("/agents/", { name: "Nightly export", events: ["export.completed"], callback_url: receiver.url });
  await api.post("/fleet/silences/", {
    matchers: { tags: ["hall-2"], severities: ["info"] },
    reason: "Racks are moved",
    ticket: "OPS-1",
    ends_at: inHours(0.5),
  });
  await api.post("/fleet/silences/", {
    matchers: { tags: ["night"] },
    reason: "Nobody drives at night",
    ends_at: inHours(200),
    recurrence: { days: [1, 2, 3], from: "22:00", to: "06:00", time_zone: "Europe/Berlin" },
  });
  await api.post("/fleet/alerts/channels/", {
    name: "On-call",
    type: "pagerduty",
    config: { routing_key: "0123456789abcdef0123456789abcdef" },
  });
  await api.post("/fleet/alerts/channels/", {
    name: "Shift leads",
    type: "email",
    config: { recipients: ["ana@example.com", "bo@example.com"] },
  });
  for (const path of ["/taken", "/refused"])
    await api.post("/webhooks/", { target_url: `${receiver.url}${path}`, events: ["dataset.created"] });
  await api.post("/storage-configs/", {
    name: "Recordings, Frankfurt",
    provider: "aws_s3",
    s3_bucket_name: s3.bucket,
    s3_bucket_region: s3.region,
    s3_bucket_prefix: "muster/",
    s3_endpoint_url: s3.url,
    s3_access_key_id: "AKIDTEST",
    s3_secret_access_key: "a secret access key",
  });
  await api.post("/datasets/", { name: "Loading bay" });
  return {
    close: async () => {
      await receiver.close();
      await s3.close();
    },
  };
}
