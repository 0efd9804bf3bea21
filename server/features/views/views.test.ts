import { beforeAll, expect, test } from "vitest";
import { addMember, makeOrganization, type TestOrganization } from "@/server/testing/factories";
import { createTrpcCaller } from "@/server/testing/requests";

let ours: TestOrganization;
let colleague: Awaited<ReturnType<typeof addMember>>;

beforeAll(async () => {
  ours = await makeOrganization();
  colleague = await addMember(ours);
});

test("a private view is visible to its owner only, a shared one to every member", async () => {
  const ownViews = createTrpcCaller(ours).views;
  const colleagueViews = createTrpcCaller(ours, colleague).views;
  await ownViews.save({ screen: "alerts", name: "Critical ones", query: "severity=critical" });
  await ownViews.save({ screen: "alerts", name: "Hall 2", query: "tags=hall-2", shared: true });
  await ownViews.save({ screen: "devices", name: "Arms", query: "type=arm", shared: true });
  expect((await ownViews.list({ screen: "alerts" })).results.map(({ name }) => name)).toEqual([
    "Critical ones",
    "Hall 2",
  ]);
  const [seen, ...rest] = (await colleagueViews.list({ screen: "alerts" })).results;
  expect(rest).toEqual([]);
  expect(seen).toMatchObject({ name: "Hall 2", query: "tags=hall-2", owner: ours.owner.username, removable: false });
});

test("saving under the name of an own view replaces it", async () => {
  const { views } = createTrpcCaller(ours);
  const first = await views.save({ screen: "events", name: "Today", query: "since=-24h" });
  const second = await views.save({ screen: "events", name: "Today", query: "since=-12h" });
  expect(second.uid).toBe(first.uid);
  expect((await views.list({ screen: "events" })).results.map(({ query }) => query)).toEqual(["since=-12h"]);
});

test("a member can delete only own views, an owner also shared ones", async () => {
  const colleagueView = await createTrpcCaller(ours, colleague).views.save({
    screen: "rules",
    name: "Mine",
    query: "",
    shared: true,
  });
  const own = await createTrpcCaller(ours).views.save({ screen: "rules", name: "Ours", query: "", shared: true });
  await expect(createTrpcCaller(ours, colleague).views.delete({ uid: own.uid })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  await createTrpcCaller(ours).views.delete({ uid: colleagueView.uid });
  expect((await createTrpcCaller(ours).views.list({ screen: "rules" })).results.map(({ name }) => name)).toEqual([
    "Ours",
  ]);
});

test("the number of views of a list is limited", async () => {
  const { views } = createTrpcCaller(await makeOrganization());
  for (let at = 0; at < 100; at++) await views.save({ screen: "rules", name: `View ${at}`, query: "" });
  await expect(views.save({ screen: "rules", name: "One more", query: "" })).rejects.toThrow();
  await views.save({ screen: "rules", name: "View 7", query: "enabled=true" });
});
