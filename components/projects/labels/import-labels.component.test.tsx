import { beforeEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { ProjectPage } from "@/components/projects/project-page";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs } from "@/components/testing/network";
import { makeProject, makeProjectResource } from "@/components/testing/projects";
import { completeLabels } from "@/domain/projects/label-schema";
import { readLabelText } from "./read-label-text";

const project = makeProject({ labels: completeLabels([{ name: "robot", color: "#0891b2" }]) });
const other = makeProject({
  uid: "018f0000-0000-7000-8000-0000000000b2",
  name: "Loading bay",
  labels: completeLabels([
    { name: "pallet", color: "#ea580c", types: ["bbox"], key: "1" },
    { name: "gate", color: "#8b5cf6", retired: true },
  ]),
});

beforeEach(() => {
  answer("projects.stats", null);
  answer("projects.overviewOf", ({ uid }) => (uid === other.uid ? other : project));
  answer("projects.overview", { results: [project, other], next: null, previous: null });
  answer("projects.labelCounts", { "0": 3 });
  answer("projects.update", () => makeProjectResource(project));
});

const names = () => [...document.querySelectorAll<HTMLInputElement>("[data-label-name]")].map(({ value }) => value);
async function open() {
  const shown = await show(<ProjectPage uid={project.uid} />, `/projects/${project.uid}?tab=labels`);
  await shown.getByRole("button", { name: "Import" }).click();
  return { shown, dialog: shown.getByRole("dialog", { name: "Import labels" }) };
}

test("labels of a file are shown with what is left out, become rows, and are saved only then", async () => {
  const { shown, dialog } = await open();
  await expect.element(dialog.getByRole("button", { name: "Add labels" })).toBeDisabled();
  const yaml = "\uFEFFnc: 3\r\nnames:\r\n  - robot\r\n  - forklift\r\n  - pallet\r\n";
  await dialog.getByLabelText("File with labels").upload(new File([yaml], "data.yaml"));
  await expect.element(dialog.getByRole("list", { name: "Labels to add" })).toHaveTextContent("forkliftpallet");
  await expect
    .element(dialog.getByRole("list", { name: "What is left out" }))
    .toHaveTextContent("robot is there already.");
  await expectGoodLooks();
  await dialog.getByRole("button", { name: "Add 2 labels" }).click();
  await expect.poll(names).toEqual(["robot", "forklift", "pallet"]);
  await expect.element(shown.getByText("Not saved yet")).toBeVisible();
  expect(listInputs("projects.update")).toEqual([]);
  await shown.getByRole("button", { name: "Save labels" }).click();
  await expect
    .poll(() => listInputs("projects.update")[0]?.change.labels?.map(({ name }) => name))
    .toEqual(["robot", "forklift", "pallet"]);
});

test("labels of another project come with their shapes, without those that are retired", async () => {
  const { dialog } = await open();
  await dialog.getByRole("radio", { name: "Another project" }).click();
  await dialog.getByRole("combobox", { name: "Project" }).click();
  await userEvent.keyboard("Load{Enter}");
  await expect.element(dialog.getByRole("list", { name: "Labels to add" })).toHaveTextContent("palletbox");
  await expect.element(dialog.getByText("gate is left out: it is retired.")).toBeVisible();
  await dialog.getByRole("button", { name: "Add 1 label" }).click();
  await expect.poll(names).toEqual(["robot", "pallet"]);
});

test("what is no list of labels says why, and adds nothing", async () => {
  const { dialog } = await open();
  const field = dialog.getByRole("textbox", { name: "What the file holds" });
  await field.fill("{ not json");
  await expect.element(dialog.getByText(/This is no JSON: /)).toBeVisible();
  await field.fill("train: images");
  await expect.element(dialog.getByText("A data.yaml lists its classes as names; here are none.")).toBeVisible();
  await expect.element(dialog.getByRole("button", { name: "Add labels" })).toBeDisabled();
  await expectGoodLooks();
});

test("each format is known by how it begins; entities, bombs and damage are refused", () => {
  const list = (text: string) => {
    const found = readLabelText(text);
    return "fault" in found ? found.fault : found.labels.map(({ name }) => name);
  };
  expect(list('\uFEFF\r\n[{"name": "car", "type": "rectangle"}]')).toEqual(["car"]);
  expect(list('{"names": {"0": "car"}}')).toEqual(["car"]);
  expect(list("names: {0: car, 1: __proto__}")).toEqual(["car", "__proto__"]);
  const view = (inner: string) =>
    `<?xml version="1.0"?>\r\n<View><RectangleLabels name="l">${inner}</RectangleLabels></View>`;
  expect(list(view('<Label value="a &amp; b"/>'))).toEqual(["a & b"]);
  expect(list(`<!DOCTYPE x [<!ENTITY e "car">]><View>&e;</View>`)).toBe(
    "XML with declarations of its own is not read.",
  );
  expect(list("<View><Label></View>")).toMatch(/^This is no XML: .*line/);
  expect(list(" \r\n")).toBe("There is nothing in it.");
  expect(list("names: [a\n  b: ]")).toMatch(/^This is no YAML: /);
  expect(list("names: {0: a, 0: b}")).toMatch(/^This is no YAML: /);
  const bomb = Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`).join("\n");
  expect(list(`a0: &a0 x\n${bomb}\nnames: *a9`)).toMatch(/^This is no YAML: /);
  expect(list("x".repeat(1_100_000))).toBe("It has more than a million characters.");
});
