import { describe, expect, test } from "vitest";
import { AgentPage } from "@/components/agents/agent-page";
import { NotFound } from "@/components/product/page-failure";
import { ProjectPage } from "@/components/projects/project-page";
import { RulePage } from "@/components/rules/rule-page";
import { StoragePage } from "@/components/storage/storage-page";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, connect, listInputs, refuse } from "@/components/testing/network";
import { WebhookPage } from "@/components/webhooks/webhook-page";

const pages = [
  { noun: "agent", list: "agents", path: "/agents", procedure: "agents.get", page: <AgentPage uid="a1" /> },
  { noun: "bucket", list: "storage", path: "/storage", procedure: "storage.get", page: <StoragePage uid="a1" /> },
  {
    noun: "project",
    list: "projects",
    path: "/projects",
    procedure: "projects.overviewOf",
    page: <ProjectPage uid="a1" />,
  },
  { noun: "rule", list: "rules", path: "/rules", procedure: "rules.get", page: <RulePage uid="a1" /> },
  { noun: "webhook", list: "webhooks", path: "/webhooks", procedure: "webhooks.page", page: <WebhookPage uid="a1" /> },
] as const;

describe.each(pages)("the page of one $noun", ({ noun, list, path, procedure, page }) => {
  test("says that it was deleted, with the way to the list, instead of a retry that cannot help", async () => {
    answer("agents.activity", null);
    refuse(procedure, { status: 404, detail: "Not found." });
    const screen = await show(page, `${path}/a1`);
    await expect.element(screen.getByText(new RegExp(`^This ${noun} was (deleted|removed)`))).toBeVisible();
    await expect.element(screen.getByRole("link", { name: `Go to ${list}` })).toHaveAttribute("href", path);
    await expect.element(screen.getByRole("button", { name: "Retry" })).not.toBeInTheDocument();
    await expectGoodLooks();
  });

  test("can be tried again when the server cannot be reached", async () => {
    answer("agents.activity", null);
    connect(false);
    const screen = await show(page, `${path}/a1`);
    await expect.element(screen.getByRole("heading", { name: `This ${noun} could not be loaded` })).toBeVisible();
    connect(true);
    refuse(procedure, { status: 404, detail: "Not found." });
    await screen.getByRole("button", { name: "Retry" }).click();
    await expect.element(screen.getByText(new RegExp(`^This ${noun} was (deleted|removed)`))).toBeVisible();
    expect(listInputs(procedure)).toContainEqual({ uid: "a1" });
  });
});

test("a uid that nothing has says what may have become of it, and leads to the list", async () => {
  const screen = await show(<NotFound noun="device" list={{ label: "Devices", href: "/devices" }} />, "/devices/a1");
  await expect.element(screen.getByRole("heading", { name: "Device not found" })).toBeVisible();
  await expect
    .element(
      screen.getByText(
        "No device of this organization has this uid. It was deleted, or it belongs to another organization; you can switch to that one at the top left.",
      ),
    )
    .toBeVisible();
  await expect.element(screen.getByRole("link", { name: "Go to devices" })).toHaveAttribute("href", "/devices");
  await expectGoodLooks();
});
