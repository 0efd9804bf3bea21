import { expect, test } from "vitest";
import { ProjectPage } from "@/components/projects/project-page";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { makeProject, makeProjectResource } from "@/components/testing/projects";

const open = (guide: string, options: Parameters<typeof show>[2] = {}) => {
  const project = makeProject({ guide });
  answer("projects.stats", null);
  answer("projects.overviewOf", project);
  return show(<ProjectPage uid={project.uid} />, `/projects/${project.uid}?tab=guide`, options);
};

test("a guide is shown without HTML, scripts, links of other protocols or pictures of other hosts", async () => {
  const shown = await open(
    [
      "# Pallets",
      "Label **every** pallet. <script>document.title = 'taken'</script><b onclick='x'>bold</b>",
      "[ours](https://example.com/a) [script](javascript:alert(1)) [page](/projects)",
      "![a pallet](https://example.com/pallet.png)",
      "| a | b |\n|---|---|\n| 1 | 2 |",
    ].join("\n\n"),
  );
  await expect.element(shown.getByRole("heading", { name: "Pallets", level: 2 })).toBeVisible();
  await expect.element(shown.getByText("every", { exact: true })).toBeVisible();
  const guide = document.querySelector(".guide");
  expect(guide?.querySelectorAll("script, img, b")).toHaveLength(0);
  expect([...(guide?.querySelectorAll("a") ?? [])].map((link) => link.getAttribute("href"))).toEqual([
    "https://example.com/a",
    "https://example.com/pallet.png",
  ]);
  await expect.element(shown.getByRole("table")).toBeVisible();
  await expectGoodLooks();
});

test("an admin writes the guide, sees it before, and reads why it was not saved", async () => {
  const shown = await open("");
  await shown.getByRole("button", { name: "Write guide" }).click();
  await shown.getByRole("textbox", { name: "Guide" }).fill("## What to label\n\n- pallets");
  await shown.getByRole("radio", { name: "Preview" }).click();
  await expect.element(shown.getByRole("heading", { name: "What to label" })).toBeVisible();
  await shown.getByRole("radio", { name: "Write" }).click();
  await expectGoodLooks();
  refuse("projects.update", { status: 400, detail: "Wrong.", issues: [{ path: ["guide"], message: "Too long." }] });
  await shown.getByRole("button", { name: "Save guide" }).click();
  await expect.element(shown.getByText("Too long.").first()).toBeVisible();
  answer("projects.update", ({ change }) => {
    const project = makeProject({ guide: change.guide ?? "" });
    answer("projects.overviewOf", project);
    return makeProjectResource(project);
  });
  await shown.getByRole("textbox", { name: "Guide" }).fill("## What to label\n\n- every pallet");
  await shown.getByRole("button", { name: "Save guide" }).click();
  await expect.element(shown.getByRole("button", { name: "Edit guide" })).toBeVisible();
  await expect.element(shown.getByText("every pallet")).toBeVisible();
  expect(listInputs("projects.update").at(-1)?.change).toEqual({ guide: "## What to label\n\n- every pallet" });
});

test("whoever is no admin reads the guide, and why they cannot edit it", async () => {
  const shown = await open("Only whole pallets.", { role: "member" });
  await expect.element(shown.getByText("Only whole pallets.")).toBeVisible();
  await expect.element(shown.getByRole("button", { name: "Edit guide" })).toHaveAttribute("aria-disabled", "true");
});
