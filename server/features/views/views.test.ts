import { beforeAll, expect, test } from "vitest";
import { addMember, makeOrganization, createTrpcCaller, type TestOrganization } from "@/server/testing/factories";

let ours: TestOrganization;
let colleague: Awaited<ReturnType<typeof addMember>>;

beforeAll(async () => {
  ours = await makeOrganization();
  colleague = await addMember(ours);
});

test("a private view is its owner's alone, a shared one everybody's", async () => {
  const mine = createTrpcCaller(ours).views;
  const theirs = createTrpcCaller(ours, colleague).views;
  await mine.save({ screen: "alerts", name: "Critical ones", query: "severity=critical" });
  await mine.save({ screen: "alerts", name: "Hall 2", query: "tags=hall-2", shared: true });
  await mine.save({ screen: "devices", name: "Arms", query: "type=arm", shared: true });
  expect((await mine.list({ screen: "alerts" })).results.map(({ name }) => name)).toEqual(["Critical ones", "Hall 2"]);
  const [seen, ...rest] = (await theirs.list({ screen: "alerts" })).results;
  expect(rest).toEqual([]);
  expect(seen).toMatchObject({ name: "Hall 2", query: "tags=hall-2", owner: ours.owner.username, removable: false });
});

test("saving under a name of one's own replaces the view", async () => {
  const { views } = createTrpcCaller(ours);
  const first = await views.save({ screen: "events", name: "Today", query: "since=-24h" });
  const second = await views.save({ screen: "events", name: "Today", query: "since=-12h" });
  expect(second.uid).toBe(first.uid);
  expect((await views.list({ screen: "events" })).results.map(({ query }) => query)).toEqual(["since=-12h"]);
});

test("a member deletes only views of their own; an owner the shared ones too", async () => {
  const theirs = await createTrpcCaller(ours, colleague).views.save({
    screen: "rules",
    name: "Mine",
    query: "",
    shared: true,
  });
  const own = await createTrpcCaller(ours).views.save({ screen: "rules", name: "Ours", query: "", shared: true });
  await expect(createTrpcCaller(ours, colleague).views.delete({ uid: own.uid })).rejects.toMatchObject({
    code: "NOT_FOUND",
  });
  await createTrpcCaller(ours).views.delete({ uid: theirs.uid });
  expect((await createTrpcCaller(ours).views.list({ screen: "rules" })).results.map(({ name }) => name)).toEqual([
    "Ours",
  ]);
});

test("no more views are kept than fit into a menu", async () => {
  const { views } = createTrpcCaller(await makeOrganization());
  for (let at = 0; at < 100; at++) await views.save({ screen: "rules", name: `View ${at}`, query: "" });
  await expect(views.save({ screen: "rules", name: "One more", query: "" })).rejects.toThrow();
  await views.save({ screen: "rules", name: "View 7", query: "enabled=true" });
});
