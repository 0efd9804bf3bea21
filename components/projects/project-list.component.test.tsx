import { beforeEach, expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { ProjectList } from "@/components/projects/project-list";
import type { Project } from "@/components/projects/query";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs } from "@/components/testing/network";
import { projectStatuses } from "@/domain/projects/schema";

const make = (at: number, status: Project["status"]): Project => ({
  uid: `018f0000-0000-7000-8000-00000000000${at}`,
  name: `Yard ${status}`,
  task_type: "image-annotation",
  status,
  access: at % 2 === 0 ? "organization" : "assigned",
  short_description: "",
  quality_target: null,
  task_count: at * 1_000,
  completed_count: at * 400,
  accepted_count: at * 300,
  rejected_count: at * 50,
  skipped_count: 0,
  member_count: at,
  created_by_uid: null,
  created_by: null,
  created_at: "2026-02-02T09:00:00.000Z",
  updated_at: "2026-02-03T09:00:00.000Z",
  demo: false,
});

beforeEach(() => {
  answer("projects.overview", ({ status }) => ({
    results: projectStatuses
      .map((each, at) => make(at, each))
      .filter(({ status: each }) => status === undefined || String(status).split(",").includes(each)),
    next: null,
    previous: null,
  }));
});

test("each row says how far the project is and offers its next step", async () => {
  const shown = await show(<ProjectList />, "/projects");
  const row = shown.getByRole("row", { name: /Yard paused/ });
  await expect.element(row).toHaveTextContent("800 of 2,000");
  await expect.element(row).toHaveTextContent("85 %");
  await expect.element(row).toHaveTextContent("Everyone");
  await row.getByRole("button", { name: "Actions for Yard paused" }).click();
  await expect.element(shown.getByRole("menuitem", { name: "Resume" })).toBeVisible();
  await expect.element(shown.getByRole("menuitem", { name: "Pause" })).not.toBeInTheDocument();
  await userEvent.keyboard("{Escape}");
  await expect.element(shown.getByRole("menu")).not.toBeInTheDocument();
  await expectGoodLooks();
});

test("a tab asks for its statuses alone and stays in the address; one without projects leads back to all", async () => {
  const shown = await show(<ProjectList />, "/projects");
  await shown.getByRole("tab", { name: "Archived" }).click();
  await expect.element(shown.getByRole("row", { name: /Yard canceled/ })).toBeVisible();
  await expect.element(shown.getByRole("row", { name: /Yard active/ })).not.toBeInTheDocument();
  expect(location.search).toBe("?status=archived");
  expect(listInputs("projects.overview").at(-1)).toMatchObject({ status: "archived,canceled" });
  answer("projects.overview", ({ status }) => ({
    results: status === undefined ? [make(1, "active")] : [],
    next: null,
    previous: null,
  }));
  await shown.getByRole("tab", { name: "Paused" }).click();
  await shown.getByRole("button", { name: /^Clear filter/ }).click();
  await expect.element(shown.getByRole("row", { name: /Yard active/ })).toBeVisible();
  expect(location.search).toBe("");
});
