import { afterEach, beforeEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { RuleList } from "@/components/rules/rule-list";
import { useAlertBadges } from "@/components/shell/alert-badges";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { RuleResource } from "@/server/features/rules/resource";
import { DemoChoiceProvider } from "./demo-choice";
import { DemoSwitch } from "./demo-switch";

const users = ["usr_00000000-0000-7000-8000-00000000000a", "usr_00000000-0000-7000-8000-00000000000b"] as const;
const organization = "org_00000000-0000-7000-8000-0000000000aa";
const cookie = "ui.demo.0000000000aa.00000000000a";

const condition = { type: "absence", topic: "/battery_state", timeout: "15s" };
const rules = [
  sample(RuleResource, { name: "Of the demo", demo: true, builtin: false, condition }),
  sample(RuleResource, { name: "Of our own", demo: false, builtin: false, condition }),
];

const Badge = () => <output aria-label="Badge of the rail">{useAlertBadges()["/alerts"]}</output>;

const page = (userUid: string = users[0]) => (
  <DemoChoiceProvider userUid={userUid} organizationUid={organization}>
    <DemoSwitch />
    <Badge />
    <RuleList />
  </DemoChoiceProvider>
);

beforeEach(() => {
  answer("demo.presence", { present: true, own_reports: true });
  answer("rules.list", ({ demo }) => {
    const results = rules.filter((rule) => demo === undefined || String(rule.demo) === demo);
    return { results, next: null, previous: null };
  });
  answer("rules.activity", {});
  answer("alerts.openBadge", ({ demo }) => ({
    count: demo === "true" ? 11 : demo === "false" ? 3 : 14,
    worst: "error",
    ceiling: 1_000,
  }));
});

afterEach(() => {
  document.cookie = `${cookie}=; Path=/; Max-Age=0`;
});

test("lists and badges hold what is chosen, which is in the address and kept for the person", async () => {
  const shown = await show(page(), "/rules");
  const [demo, yours, badge] = [
    shown.getByText("Of the demo"),
    shown.getByText("Of our own"),
    shown.getByRole("status", { name: "Badge of the rail" }),
  ];
  await expect.element(yours).toBeVisible();
  await expect.element(shown.getByRole("radio", { name: "Yours" })).toBeChecked();
  await expect.element(demo).not.toBeInTheDocument();
  await expect.element(badge).toHaveTextContent("3 open");
  expect(location.search).toBe("");

  await shown.getByRole("radio", { name: "Demo" }).click();
  await expect.element(demo).toBeVisible();
  await expect.element(yours).not.toBeInTheDocument();
  await expect.element(badge).toHaveTextContent("11 open");
  await expect.poll(() => location.search).toBe("?demo=demo");
  expect(document.cookie).toContain(`${cookie}=demo`);

  await shown.getByRole("radio", { name: "Both" }).click();
  await expect.element(demo).toBeVisible();
  await expect.element(yours).toBeVisible();
  await expect.element(badge).toHaveTextContent("14 open");
  // All there is was asked for before the server, which in the product renders the page, said that there is demo data.
  expect(listInputs("rules.list").map((input) => input.demo)).toEqual([undefined, "false", "true"]);
  await expectGoodLooks();
});

test("the arrow keys choose", async () => {
  const shown = await show(page(), "/rules");
  const group = shown.getByRole("radiogroup", { name: "What is shown: demo data, yours or both" });
  await group.getByRole("radio", { name: "Yours" }).click();
  await userEvent.keyboard("{ArrowRight}");
  await expect.element(group.getByRole("radio", { name: "Both" })).toBeChecked();
  await expect.element(shown.getByText("Of the demo")).toBeVisible();
});

test("an address decides for this page and the following ones, for one person only", async () => {
  const shown = await show(page(users[0]), "/rules?demo=true");
  await expect.element(shown.getByRole("radio", { name: "Demo" })).toBeChecked();
  await expect.element(shown.getByText("Of our own")).not.toBeInTheDocument();
  await expect.poll(() => document.cookie).toContain(`${cookie}=demo`);
  expect(document.cookie).not.toContain(users[1].slice(-12));
});

test("an address without a choice gets the remembered one, so that it can be handed on", async () => {
  const shown = await show(page(), "/rules?demo=both");
  await expect.element(shown.getByText("Of the demo")).toBeVisible();
  history.pushState(null, "", "/rules");
  await expect.poll(() => location.search).toBe("?demo=both");
  await expect.element(shown.getByRole("radio", { name: "Both" })).toBeChecked();
});

test("both are shown until a device of one's own reports, and without demo data there is no choice", async () => {
  answer("demo.presence", { present: true, own_reports: false });
  const newcomer = await show(page(), "/rules");
  await expect.element(newcomer.getByRole("radio", { name: "Both" })).toBeChecked();
  await expect.element(newcomer.getByText("Of the demo")).toBeVisible();
  await newcomer.unmount();

  answer("demo.presence", { present: false, own_reports: false });
  const shown = await show(page(), "/rules?demo=demo");
  await expect.element(shown.getByText("Of our own")).toBeVisible();
  await expect.element(shown.getByRole("radiogroup")).not.toBeInTheDocument();
  expect(listInputs("rules.list").every((input) => input.demo === undefined)).toBe(true);
});
