import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { GroupResource } from "@/server/features/devices/resource";
import { HitResource, RuleResource } from "@/server/features/rules/resource";
import { RuleList } from "./rule-list";

const group = (uid: string, name: string) => sample(GroupResource, { uid, name });
const rule = (uid: string, name: string, group_ids: string[]) =>
  sample(RuleResource, {
    ...{ uid, name, enabled: true, hit_count: 4, version: 2, actions: [{ type: "flag_for_review" }] },
    ...{ condition_text: "temperature above 80", scope: { group_ids } },
    condition: { type: "threshold", topic: "/motor", field: "temperature", operator: "gt", value: 80 },
  });
const hit = sample(HitResource, {
  device_name: "Arm C1",
  peak: 91,
  triggered_ns: "1769990400000000000",
});
const page = <Row,>(results: Row[]) => ({ results, next: null, previous: null });

test("rules name their groups, are drawn by one scale, and their hits name the device", async () => {
  answer("groups.list", page([group("grp_a", "Line A"), group("grp_b", "Line B"), group("grp_c", "Yard")]));
  answer(
    "rules.list",
    page([rule("rul_1", "Hot", ["grp_a", "grp_b"]), rule("rul_2", "Cold", ["grp_a", "grp_b", "grp_c"])]),
  );
  answer("rules.activity", { rul_1: [0, 40, 20], rul_2: [0, 4, 2] });
  answer("rules.hits", page([hit]));
  answer("channels.list", page([]));
  const screen = await show(<RuleList />, "/rules");
  await expect.element(screen.getByText("Line A, Line B")).toBeVisible();
  await expect.element(screen.getByText("Line A and 2 more groups")).toBeVisible();
  const getHeight = (total: number) => {
    const line = screen.getByRole("img", { name: `Hits per day over 30 days: ${total} in all` }).element();
    return (line.querySelector("path") as SVGPathElement).getBBox().height;
  };
  await expect.element(screen.getByRole("img", { name: /60 in all/ })).toBeVisible();
  expect(getHeight(60) / getHeight(6)).toBeCloseTo(10, 0);
  const header = screen.getByRole("columnheader", { name: "Hits, 30 days" });
  await expect.element(header).toHaveAttribute("title", "Hits a day over the last 30 days, all rules on one scale.");
  await expect.element(screen.getByRole("row", { name: /Hot/ }).getByText("Flag", { exact: true })).toBeVisible();
  await expectGoodLooks();
  history.pushState({ routed: true }, "", "/rules?selected=rul_1");
  await expect.element(screen.getByText("Arm C1")).toBeVisible();
  await expect
    .element(screen.getByRole("link", { name: "Edit", exact: true }))
    .toHaveAttribute("href", "/rules/rul_1/edit");
});
