import { afterAll, expect, test } from "vitest";
import { metrics } from "@/server/platform/metrics";
import { noteLoad, showLoads } from "@/server/platform/observability/organization-load";
import { processWide } from "@/server/platform/process-wide";

const read = async (metric: { get(): Promise<{ values: { value: number; labels: object }[] }> }) => {
  const { values } = await metric.get();
  return new Map(values.map(({ labels, value }) => [(labels as { organization: string }).organization, value]));
};
const forget = () => processWide("organizationLoads", () => new Map()).clear();
afterAll(forget);

test("the load of an organization is its requests a second and how many are in work, and fades", async () => {
  forget();
  // 2 requests a second of 0.5 s each, for half an hour.
  for (let n = 0; n < 3_600; n++) noteLoad("busy", 0.5, n / 2);
  showLoads(1_800);
  expect((await read(metrics.organizationRequests)).get("busy")).toBeCloseTo(2, 1);
  expect((await read(metrics.organizationInFlight)).get("busy")).toBeCloseTo(1, 1);
  showLoads(1_800 + 3_000);
  expect((await read(metrics.organizationRequests)).get("busy")).toBeLessThan(0.001);
});

test("only the 20 organizations with most work are labels, however many there are", async () => {
  forget();
  for (let n = 0; n < 5_000; n++) noteLoad(`org-${n}`, n, 10);
  showLoads(10);
  const shown = [...(await read(metrics.organizationInFlight)).keys()];
  expect(shown).toEqual(Array.from({ length: 20 }, (_, n) => `org-${4_999 - n}`));
  expect([...(await read(metrics.organizationRequests)).keys()]).toEqual(shown);
  expect(processWide("organizationLoads", () => new Map()).size).toBeLessThanOrEqual(2_000);
});
