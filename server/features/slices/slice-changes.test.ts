import { beforeAll, describe, expect, test } from "vitest";
import type { DatasetResource } from "@/server/features/datasets/resource";
import { countSlices } from "@/server/features/slices/count-service";
import type { SliceResource } from "@/server/features/slices/resource";
import { prisma } from "@/server/platform/db";
import type { Page } from "@/server/platform/pagination";
import { makeDataset, pictures } from "@/server/testing/datasets";
import {
  addMember,
  makeOrganization,
  unique,
  type TestMember,
  type TestOrganization,
} from "@/server/testing/factories";
import { requestsWith } from "@/server/testing/requests";

let org: TestOrganization;
let member: TestMember;
let dataset: DatasetResource;
beforeAll(async () => {
  org = await makeOrganization();
  member = await addMember(org);
  dataset = await pictures(org, 3);
});

const call = requestsWith(() => org.key);
const create = async (body: object = {}, key = member.key): Promise<SliceResource> =>
  (await call<SliceResource>("POST", "/slices/", { name: unique("slice"), dataset: dataset.uid, ...body }, key)).body;
const at = ({ slug }: SliceResource) => `/slices/${org.slug}/${slug}/`;
const countListed = async () => {
  const path = `/slices/${org.slug}/list/`;
  const { count, results } = (await call<Page<SliceResource>>("GET", path)).body;
  return [count, results.length];
};

describe("a slice", () => {
  test("is changed by the member who made it: its name, description and filter, but not its slug", async () => {
    const slice = await create({ filter_query_string: "key = 0000*" });
    await countSlices(dataset.uid);
    const sent = { name: unique("Night"), description: "dark ones", filter_query_string: " key != 0000.png " };
    const changed = await call<SliceResource>("PATCH", at(slice), sent, member.key);
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { ...sent, filter_query_string: "key != 0000.png", slug: slice.slug, created_by_uid: member.uid },
    ]);
    await countSlices(dataset.uid);
    expect((await call<SliceResource>("GET", at(slice))).body.item_count).toBe(2);
    expect((await call<SliceResource>("PATCH", at(slice), {}, member.key)).body.name).toBe(sent.name);
    const audited = { organizationId: org.uid, action: "slice.updated", targetId: slice.uid };
    expect(await prisma.auditEntry.count({ where: audited })).toBe(1);
  });

  test("is refused the name of another slice, a blank one, and a filter that is none", async () => {
    const [slice, other] = [await create(), await create()];
    const patch = async (body: object) => {
      const { status, body: refusal } = await call("PATCH", at(slice), body, member.key);
      return [status, status === 200 ? null : Object.keys(refusal)];
    };
    expect(await patch({ name: slice.name.toUpperCase() })).toEqual([200, null]);
    expect(await patch({ name: other.name })).toEqual([400, ["name"]]);
    expect(await patch({ name: " " })).toEqual([400, ["name"]]);
    expect(await patch({ filter_query_string: "status = lost" })).toEqual([400, ["filter_query_string"]]);
  });

  test("is deleted by the member who made it, and no longer counted", async () => {
    const slice = await create();
    const before = await countListed();
    expect((await call("DELETE", at(slice), undefined, member.key)).status).toBe(204);
    expect((await call("GET", at(slice))).status).toBe(404);
    expect(await countListed()).toEqual(before.map((count) => (count ?? 0) - 1));
    expect(await create({ name: slice.name })).toMatchObject({ slug: slice.slug });
  });

  test("of another member is changed and deleted by admins only, in any organization but another's", async () => {
    const slice = await create();
    const [colleague, outsider] = [await addMember(org), await makeOrganization()];
    const statuses = async (key: string) => [
      (await call("PATCH", at(slice), { description: 5 }, key)).status,
      (await call("DELETE", at(slice), undefined, key)).status,
    ];
    expect(await statuses(colleague.key)).toEqual([403, 403]);
    expect(await statuses(outsider.key)).toEqual([404, 404]);
    expect((await call("PATCH", at(slice), { description: "ours" })).status).toBe(200);
    expect((await call("DELETE", at(slice))).status).toBe(204);
  });

  test("is not deleted while an export of it is unfinished, which the refusal names", async () => {
    const slice = await create();
    const body = { name: unique("export"), format: "YOLO", datasets: [], projects: [], slices: [slice.uid] };
    const { uid } = (await call<{ uid: string }>("POST", "/exports/", body, member.key)).body;
    const refused = await call("DELETE", at(slice), undefined, member.key);
    expect([refused.status, refused.body.non_field_errors?.[0]]).toEqual([400, expect.stringContaining(body.name)]);
    await call("POST", `/exports/${String(uid)}/abort/`, undefined, member.key);
    expect((await call("DELETE", at(slice), undefined, member.key)).status).toBe(204);
  });
});

test("slices that are deleted with their dataset are no longer counted", async () => {
  const own = await makeDataset(org);
  await create({ dataset: own.uid });
  await create({ dataset: own.uid });
  expect((await call("DELETE", `/datasets/${org.slug}/${own.slug}/`)).status).toBe(204);
  const [count, listed] = await countListed();
  expect(count).toBe(listed);
});
