import { beforeAll, expect, test } from "vitest";
import type { DatasetResource, ItemResource } from "@/server/features/datasets/resource";
import type { Page } from "@/server/platform/pagination";
import { pictures } from "@/server/testing/datasets";
import { makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let dataset: DatasetResource;
let keys: string[];
beforeAll(async () => {
  org = await makeOrganization();
  dataset = await pictures(org, 12);
  keys = (await list("")).body.results.map(({ key }) => key);
});

const call = requestsWith(() => org.key);
const list = (filter: string, more = "") =>
  call<Page<ItemResource>>(
    "GET",
    `/datasets/${org.slug}/${dataset.slug}/items/?ordering=key&filter_query_string=${encodeURIComponent(filter)}${more}`,
  );

test("the list of items holds those that match the filter, on all of its pages", async () => {
  expect(keys).toHaveLength(12);
  const [first = "", second = "", third = "", ...others] = keys;
  const filter = `key IN ("${first}", "${second}", "${third}") AND metadata.width = 64`;
  const page = await list(filter, "&limit=2");
  expect(page.body.results.map(({ key }) => key)).toEqual([first, second]);
  const next = await call<Page<ItemResource>>("GET", page.body.next ?? "");
  expect([next.body.results.map(({ key }) => key), next.body.next]).toEqual([[third], null]);
  expect((await list(`NOT (${filter})`)).body.results.map(({ key }) => key)).toEqual(others);
  expect((await list(filter, "&status=completed")).body.results).toEqual([]);
  expect((await list("metadata.width > 64")).body.results).toEqual([]);
});

test.each([
  ["key(((", 'Expected = != > >= < <= ~ or IN, not "(" (at position 4).'],
  [
    "status = done",
    '"done" is not a status. Statuses: unattempted, pending, ready_for_annotation, in_progress, completed, rework_required, customer_approved (at position 10).',
  ],
])("the list of items under the filter %s is refused with the position", async (filter, message) => {
  const { status, body } = await list(filter);
  expect([status, body]).toEqual([400, { filter_query_string: [message] }]);
});

test("the next page of a list of items is that of its own filter only", async () => {
  const { body } = await list("metadata.width = 64", "&limit=2");
  const cursor = new URL(body.next ?? "").searchParams.get("cursor") ?? "";
  const { status, body: refused } = await list("metadata.height = 48", `&limit=2&cursor=${cursor}`);
  expect([status, Object.keys(refused)]).toEqual([400, ["cursor"]]);
});
