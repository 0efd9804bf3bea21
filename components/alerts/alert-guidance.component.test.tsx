import { expect, test } from "vitest";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { AlertGuidance } from "./alert-guidance";

const at = "/alerts/alt_1";

test("a runbook is text without scripts and pictures, and its links open beside the alert", async () => {
  const runbook = [
    "1. Stop the cell",
    "2. Read [the plan](https://wiki.example.com/plan), not [this](javascript:alert(1))",
    '<script>alert("x")</script><img src="https://example.com/a.png">',
  ].join("\n");
  const screen = await show(<AlertGuidance guidance={{ runbook, owner: "anna" }} />, at);
  await expect.element(screen.getByRole("listitem").first()).toHaveTextContent("Stop the cell");
  await expect.element(screen.getByText("Owner anna")).toBeVisible();
  const links = screen.getByRole("link").elements();
  expect(links.map((link) => [link.getAttribute("href"), link.getAttribute("rel")])).toEqual([
    ["https://wiki.example.com/plan", "noreferrer"],
  ]);
  expect(screen.container.querySelector("script, img")).toBe(null);
  await expectGoodLooks();
});

test("a runbook that is an address is a link", async () => {
  const address = "https://wiki.example.com/motors";
  const screen = await show(<AlertGuidance guidance={{ runbook: ` ${address}\n`, owner: null }} />, at);
  await expect.element(screen.getByRole("link", { name: address })).toHaveAttribute("href", address);
  await expectGoodLooks();
});

test("a rule that says nothing takes no room", async () => {
  const screen = await show(<AlertGuidance guidance={{ runbook: " ", owner: null }} />, at);
  expect(screen.getByRole("region").elements()).toEqual([]);
});
