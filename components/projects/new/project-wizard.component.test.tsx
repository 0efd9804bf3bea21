import { beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import type { ProjectSource } from "@/components/projects/new/draft";
import { ProjectWizard } from "@/components/projects/new/project-wizard";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { makeProject, makeProjectResource } from "@/components/testing/projects";
import { sample } from "@/components/testing/sample";
import type { Outputs } from "@/components/trpc/client";
import { MemberResource } from "@/server/features/membership/resource";

const yard: Outputs["projects"]["sources"][number] = {
  kind: "dataset",
  uid: "018f0000-0000-7000-8000-000000000001",
  name: "Yard",
  dataset: "018f0000-0000-7000-8000-000000000001",
  dataset_name: "Yard",
  data_type: "image",
  item_count: 3_988,
  pending_count: 0,
};
const gates = {
  ...yard,
  uid: "018f0000-0000-7000-8000-000000000002",
  dataset: "018f0000-0000-7000-8000-000000000002",
  name: "Gates",
  item_count: 12,
  pending_count: 2,
};
const clips = {
  ...yard,
  uid: "018f0000-0000-7000-8000-000000000003",
  dataset: "018f0000-0000-7000-8000-000000000003",
  name: "Clips",
  data_type: "video" as const,
};
const night = {
  ...yard,
  kind: "slice" as const,
  uid: "018f0000-0000-7000-8000-000000000004",
  name: "Night",
  item_count: 40,
};
const made = makeProject();

const haveMembers = (...readOnly: boolean[]) =>
  answer("members.list", {
    results: readOnly.map((read_only) => sample(MemberResource, { read_only })),
    next: null,
    previous: null,
  });

beforeEach(() => {
  haveMembers(false, false);
  answer("projects.sources", ({ search = "" }) =>
    [yard, gates, clips, night].filter(({ name }) => name.toLowerCase().includes(search.toLowerCase())),
  );
  answer("projects.create", makeProjectResource(made));
  answer("projects.step", makeProjectResource(made));
});

const open = (of: ProjectSource = { dataset: yard.uid }, options: Parameters<typeof show>[2] = {}) =>
  show(<ProjectWizard of={of} />, "/projects/new", options);

test("a project is made of what was chosen and written, and approved; its page opens", async () => {
  const shown = await open();
  await expect.element(shown.getByText("3,988 tasks in 40 batches", { exact: true })).toBeVisible();
  await shown.getByRole("combobox", { name: "Datasets and slices" }).fill("gat");
  await shown.getByRole("option", { name: /Gates/ }).click();
  await expect.element(shown.getByText("4,000 tasks in 40 batches", { exact: true })).toBeVisible();
  await expect.element(shown.getByText(/^2 of the items are still being read/)).toBeVisible();
  await shown.getByRole("button", { name: "Add label" }).click();
  await userEvent.keyboard("pallet{Enter}");
  await userEvent.keyboard("cart");
  await shown.getByRole("textbox", { name: "Guide" }).fill("Every pallet.");
  await shown.getByRole("radio", { name: "Assigned members" }).click();
  await shown.getByRole("radio", { name: "No review" }).click();
  await shown.getByRole("radio", { name: "Reviewers decide a share" }).click();
  await shown.getByRole("combobox", { name: "Share that reviewers decide" }).click();
  await shown.getByRole("option", { name: "10 % of the results" }).click();
  await expectGoodLooks();
  // A phone shows one step only.
  await page.viewport(1440, 900);
  await shown.getByRole("textbox", { name: "Name" }).last().fill("Pallets");
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await expect.poll(() => location.pathname).toBe(`/projects/${made.uid}`);
  expect(listInputs("projects.create")).toMatchObject([
    {
      name: "Pallets",
      datasets: [yard.uid, gates.uid],
      task_type: "image-annotation",
      labels: [{ name: "pallet" }, { name: "cart" }],
      guide: "Every pallet.",
      access: "assigned",
      review: "share",
      review_share: 10,
    },
  ]);
  expect(listInputs("projects.step")).toEqual([{ uid: made.uid, step: "approve" }]);
});

test("a project is made of a slice; its dataset as a whole takes the place of it", async () => {
  const shown = await open({ slice: night.uid });
  await expect.element(shown.getByText("40 tasks in 1 batch", { exact: true })).toBeVisible();
  await expect.element(shown.getByRole("list", { name: "Chosen data" })).toHaveTextContent("Night of Yard40");
  await shown.getByRole("button", { name: "Make project" }).first().click();
  await expect.poll(() => listInputs("projects.create").length).toBe(1);
  expect(listInputs("projects.create")[0]).toMatchObject({ name: "Night", slices: [night.uid] });
  expect(listInputs("projects.create")[0]).not.toHaveProperty("datasets");
  await shown.unmount();
  const again = await open({ slice: night.uid });
  await again.getByRole("combobox", { name: "Datasets and slices" }).fill("yard");
  await again.getByRole("option", { name: /Yard/ }).click();
  await expect.element(again.getByRole("list", { name: "Chosen data" })).toHaveTextContent("Yard3,988");
  await expect.element(again.getByText("3,988 tasks in 40 batches", { exact: true })).toBeVisible();
});

test("who works alone begins without review, and reads why; others begin with it", async () => {
  haveMembers(false, true);
  const alone = await open();
  await expect.element(alone.getByRole("radio", { name: "No review" })).toBeChecked();
  await expect.element(alone.getByText(/^You are the only one here who may review/)).toBeVisible();
  await alone.getByRole("button", { name: "Make project" }).first().click();
  await expect.poll(() => listInputs("projects.create")).toMatchObject([{ review: "none" }]);
  await alone.unmount();
  const chosen = await open();
  await chosen
    .getByRole("radio", { name: /^Reviewers decide/ })
    .first()
    .click();
  await chosen.unmount();
  const restored = await open();
  await expect.element(restored.getByRole("radio", { name: /^Reviewers decide/ }).first()).toBeChecked();
  await restored.getByRole("button", { name: "Begin anew" }).click();
  await expect.element(restored.getByRole("radio", { name: "No review" })).toBeChecked();
  await restored.unmount();
  haveMembers(false, false);
  const many = await open();
  await expect.element(many.getByRole("radio", { name: /^Reviewers decide/ }).first()).toBeChecked();
  expect(many.getByText(/^You are the only one here/).elements()).toEqual([]);
});

test("what was written is there after a reload, until somebody begins anew", async () => {
  const first = await open();
  await first.getByRole("textbox", { name: "Guide" }).fill("Every pallet.");
  await first.unmount();
  const shown = await open({ dataset: gates.uid });
  await expect.element(shown.getByText("What you wrote before is back.")).toBeVisible();
  await expect.element(shown.getByRole("textbox", { name: "Guide" })).toHaveValue("Every pallet.");
  await expect.element(shown.getByRole("list", { name: "Chosen data" })).toHaveTextContent("Yard3,988Gates12");
  await shown.getByRole("button", { name: "Begin anew" }).click();
  await expect.element(shown.getByRole("textbox", { name: "Guide" })).toHaveValue("");
  await expect
    .element(shown.getByRole("button", { name: "Make project" }).first())
    .toHaveAttribute("aria-disabled", "true");
});

test("datasets and kinds of task that have no editor yet say so", async () => {
  const shown = await open({ dataset: clips.uid });
  await expect.element(shown.getByText("Clips holds videos; only pictures can be labelled here yet.")).toBeVisible();
  await expect.element(shown.getByRole("radio", { name: /^Videos/ })).toBeDisabled();
  await expect.element(shown.getByRole("radio", { name: /^Pictures/ })).toBeChecked();
  await expectGoodLooks();
});

test("what the server refuses is at its field, and nothing is lost", async () => {
  const shown = await open();
  refuse("projects.create", {
    status: 400,
    detail: "Invalid input.",
    issues: [{ path: ["name"], message: "Another project has this name." }],
  });
  await shown.getByRole("button", { name: "Make project" }).first().click();
  await expect.element(shown.getByText("Another project has this name.")).toBeVisible();
  await expect.element(shown.getByRole("textbox", { name: "Name" }).last()).toHaveValue("Yard");
});

test("whoever is no admin reads why they cannot make a project", async () => {
  const shown = await open({ dataset: yard.uid }, { role: "member" });
  shown.getByRole("button", { name: "Make project" }).first().element().focus();
  await userEvent.keyboard("{Enter}{Control>}{Enter}{/Control}");
  expect(listInputs("projects.create")).toEqual([]);
  await expect
    .element(shown.getByRole("button", { name: "Make project" }).first())
    .toHaveAttribute("aria-description", "Only admins can do this.");
});
