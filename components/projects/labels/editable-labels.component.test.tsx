import { beforeEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { ProjectPage } from "@/components/projects/project-page";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { makeProject, makeProjectResource } from "@/components/testing/projects";
import { changeLabels } from "@/domain/projects/label-changes";
import { completeLabels, LabelInput } from "@/domain/projects/label-schema";

const labels = completeLabels([
  { name: "robot", color: "#0891b2", types: ["bbox"], key: "1" },
  { name: "cart", color: "#ea580c" },
  { name: "person", color: "#16a34a" },
  { name: "gate", color: "#8b5cf6", retired: true },
]);
let project = makeProject({ labels });

beforeEach(() => {
  project = makeProject({ labels });
  answer("projects.stats", null);
  answer("projects.overviewOf", () => project);
  answer("projects.labelCounts", { "0": 90, "1": 4, "2": 0 });
  answer("projects.update", ({ change }) => {
    const given = (change.labels ?? []).map((label) => LabelInput.parse(label));
    const changed = changeLabels({ labels, nextNumber: 4 }, given, ({ name }) => name === "cart");
    if ("wrong" in changed) throw new Error("refused");
    project = { ...project, labels: changed.labels };
    return makeProjectResource(project);
  });
});

const open = () => show(<ProjectPage uid={project.uid} />, `/projects/${project.uid}?tab=labels`);
const names = () => [...document.querySelectorAll<HTMLInputElement>("[data-label-name]")].map(({ value }) => value);

test("rows move by Alt and arrow keys, keep the focus, and are saved in their order with their ids", async () => {
  const shown = await open();
  const name = shown.getByRole("listitem", { name: "person" }).getByRole("textbox", { name: "Name" });
  await name.click();
  await userEvent.keyboard("{Alt>}{ArrowUp}{ArrowUp}{ArrowUp}{ArrowDown}{/Alt}");
  expect(names()).toEqual(["robot", "person", "cart"]);
  await expect.element(name).toHaveFocus();
  await shown.getByRole("button", { name: "Save labels" }).click();
  await expect.element(shown.getByText("Labels of Yard crossings saved")).toBeVisible();
  expect(listInputs("projects.update")[0]?.change.labels?.map(({ id }) => id)).toEqual(["0", "2", "1", "3"]);
});

test("rows are dragged by their handle, up and down", async () => {
  const shown = await open();
  const handle = (name: string) => shown.getByTitle(new RegExp(`^Drag to move ${name}`));
  await userEvent.dragAndDrop(handle("robot"), handle("person"), { targetPosition: { x: 5, y: 30 } });
  expect(names()).toEqual(["cart", "person", "robot"]);
  await userEvent.dragAndDrop(handle("robot"), handle("cart"), { targetPosition: { x: 5, y: 2 } });
  expect(names()).toEqual(["robot", "cart", "person"]);
});

test("saving says what was retired, what keeps its class, and what came back", async () => {
  const shown = await open();
  await shown.getByRole("listitem", { name: "robot" }).getByRole("textbox", { name: "Name" }).fill("machine");
  await shown.getByRole("button", { name: "Actions for cart" }).click();
  await shown.getByRole("menuitem", { name: "Remove" }).click();
  await shown.getByRole("button", { name: "Actions for person" }).click();
  await shown.getByRole("menuitem", { name: "Remove" }).click();
  await shown.getByRole("button", { name: "Bring back gate" }).click();
  await shown.getByRole("button", { name: "Add label" }).click();
  await expect.element(shown.getByRole("textbox", { name: "Name" }).last()).toHaveFocus();
  await userEvent.keyboard("pallet");
  await expectGoodLooks();
  await shown.getByRole("button", { name: "Save labels" }).click();
  const said = shown.getByRole("status", { name: "What saving did" });
  await expect.element(said).toHaveTextContent("robot is now called machine and keeps class 0.");
  await expect.element(said).toHaveTextContent("cart was retired and keeps class 1.");
  await expect.element(said).toHaveTextContent("person was removed");
  await expect.element(said).toHaveTextContent("gate is back, with its class 3.");
  await expect.element(said).toHaveTextContent("pallet has class 4.");
  await expect.element(shown.getByRole("button", { name: "Bring back cart" })).toBeVisible();
  await expectGoodLooks();
});

test("what would be refused is named at its row, before and after the server is asked", async () => {
  const shown = await open();
  const row = shown.getByRole("listitem", { name: "cart" });
  await row.getByRole("button", { name: "Colour of cart" }).click();
  await shown.getByRole("textbox", { name: "Own colour" }).fill("#ffff00");
  await userEvent.keyboard("{Enter}{Escape}");
  await expect.element(row).toHaveTextContent(/hard to see on light pages: contrast 1\.1 to 1/);
  await row.getByRole("textbox", { name: "Name" }).fill("");
  await shown.getByRole("button", { name: "Save labels" }).click();
  await expect.element(shown.getByText("This field may not be blank.")).toBeVisible();
  expect(listInputs("projects.update")).toEqual([]);
  await shown.getByRole("listitem", { name: "the new label" }).getByRole("textbox", { name: "Name" }).fill("trolley");
  refuse("projects.update", {
    status: 400,
    detail: "Invalid input.",
    issues: [{ path: ["labels", 1, "name"], message: "A draft has this name." }],
  });
  await shown.getByRole("button", { name: "Save labels" }).click();
  await expect.element(shown.getByRole("listitem", { name: "trolley" })).toHaveTextContent("A draft has this name.");
  await expectGoodLooks();
});

test("keys are given once; shapes, attributes, a skeleton and a description are saved as they were entered", async () => {
  const shown = await open();
  const row = shown.getByRole("listitem", { name: "cart" });
  await row.getByRole("combobox", { name: "Key of cart" }).click();
  await expect.element(shown.getByRole("option", { name: "1 robot" })).toHaveAttribute("aria-disabled", "true");
  await shown.getByRole("option", { name: "2" }).click();
  await row.getByRole("button", { name: /^Shapes of cart/ }).click();
  await shown.getByRole("checkbox", { name: "points" }).click();
  await userEvent.keyboard("{Escape}");
  await row.getByRole("button", { name: "Details of cart" }).click();
  await row.getByRole("button", { name: "Add attribute" }).click();
  await row.getByRole("textbox", { name: "Key" }).fill("load");
  await row.getByRole("combobox", { name: "Choices" }).fill("empty,full");
  await userEvent.keyboard("{Enter}");
  await row.getByRole("combobox", { name: "Default" }).click();
  await shown.getByRole("option", { name: "full" }).click();
  await row.getByRole("checkbox", { name: "Required" }).click();
  await row.getByRole("combobox", { name: /^Points of a skeleton/ }).fill("front,rear");
  await userEvent.keyboard("{Enter}");
  await row.getByRole("combobox", { name: "Line from" }).click();
  await shown.getByRole("option", { name: "front" }).click();
  await row.getByRole("combobox", { name: "Line to" }).click();
  await shown.getByRole("option", { name: "rear" }).click();
  await row.getByRole("button", { name: "Connect" }).click();
  await row.getByRole("textbox", { name: /^Description/ }).fill("Also pallets on wheels");
  await expectGoodLooks();
  await shown.getByRole("button", { name: "Save labels" }).click();
  await expect.element(shown.getByText("Labels of Yard crossings saved")).toBeVisible();
  expect(listInputs("projects.update")[0]?.change.labels?.[1]).toMatchObject({
    id: "1",
    key: "2",
    types: ["keypoints"],
    attributes: [{ key: "load", kind: "select", options: ["empty", "full"], default: "full", required: true }],
    points: ["front", "rear"],
    edges: [[0, 1]],
    description: "Also pallets on wheels",
  });
});

test("JSON is checked as the server does, names the line of a fault, and cannot be saved with one", async () => {
  const shown = await open();
  await shown.getByRole("radio", { name: "JSON" }).click();
  const text = shown.getByRole("textbox", { name: "Labels as JSON" });
  await text.fill('[\n  {"name": "robot"},\n  {"name": "cart",\n   "key": "12"}\n]');
  await expect.element(shown.getByRole("alert")).toHaveTextContent("Line 4: Give a digit from 1 to 9.");
  await expect.element(shown.getByRole("button", { name: "Save labels" })).toHaveAttribute("aria-disabled", "true");
  await text.fill('[{"name": "robot"');
  await expect.element(shown.getByRole("alert")).toHaveTextContent(/^Line 1: /);
  await expectGoodLooks();
  await text.fill('[{"id": "1", "name": "wagon", "color": "#ea580c"}]');
  await expect.element(shown.getByRole("alert")).not.toBeInTheDocument();
  await shown.getByRole("radio", { name: "Rows" }).click();
  expect(names()).toEqual(["wagon"]);
});

test("what is not saved is there after a reload, and can be discarded", async () => {
  const first = await open();
  await first.getByRole("listitem", { name: "cart" }).getByRole("textbox", { name: "Name" }).fill("wagon");
  await first.unmount();
  const shown = await open();
  await expect.element(shown.getByText(/Your unsaved changes from/)).toBeVisible();
  expect(names()).toEqual(["robot", "wagon", "person"]);
  await shown.getByRole("button", { name: "Discard" }).click();
  expect(names()).toEqual(["robot", "cart", "person"]);
});
