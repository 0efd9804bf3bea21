import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, inEveryLook, live, lookAround, lookOnce, test, widths } from "./fixtures";

/** A local receiver that responds to every message with a status. */
async function receiver(status: number): Promise<{ url: string; bodies: string[]; close: () => Promise<void> }> {
  const bodies: string[] = [];
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      bodies.push(body);
      response.writeHead(status).end(status < 300 ? "taken" : "out of order");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    bodies,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

test("a channel is created, tested, changed without its secret being shown, and deleted", async ({ page }) => {
  const good = await receiver(200);
  const bad = await receiver(500);
  await page.goto("/settings/channels");
  await expect(page.getByRole("heading", { name: "No channels yet" })).toBeVisible();
  await live(page);
  await page.getByRole("button", { name: "Create channel" }).click();
  const dialog = page.getByRole("dialog", { name: "Create channel" });
  await lookOnce(page);
  await dialog.getByRole("button", { name: "Create channel" }).click();
  await expect(dialog.getByText("This field is required.").first()).toBeVisible();
  await dialog.getByRole("textbox", { name: "Name" }).fill("Robots");
  await dialog.getByLabel("Incoming webhook address").fill(`${good.url}/secret-of-slack-0123`);
  await dialog.getByRole("button", { name: "Create channel" }).click();

  const drawer = page.getByRole("dialog", { name: "Robots" });
  await drawer.getByRole("button", { name: "Send test" }).click();
  await expect(drawer.getByText(/The receiver took the test message\. \(status 200, \d+ ms\)/)).toBeVisible();
  expect(good.bodies).toHaveLength(1);
  await expect(drawer.getByText("No rule yet.")).toBeVisible();
  expect(await page.content()).not.toContain("secret-of-slack");

  await drawer.getByRole("button", { name: "Actions for Robots" }).click();
  await page.getByRole("menuitem", { name: "Change" }).click();
  const change = page.getByRole("dialog", { name: "Change Robots" });
  await expect(change.getByLabel("Incoming webhook address")).toHaveValue("");
  await change.getByLabel("Incoming webhook address").fill(bad.url);
  await change.getByRole("textbox", { name: "Name" }).fill("Arms");
  await change.getByRole("button", { name: "Save" }).click();
  const arms = page.getByRole("dialog", { name: "Arms" });
  await arms.getByRole("button", { name: "Send test" }).click();
  await expect(arms.getByText(/The test message did not arrive\. \(status 500/)).toBeVisible();
  await arms.getByRole("button", { name: /Failed Test/ }).click();
  await expect(arms.getByRole("heading", { name: "Attempts" })).toBeVisible();
  await expect(arms.getByText("out of order")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("row", { name: /Arms/ }).hover();
  await page.getByRole("button", { name: "Actions for Arms" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete channel" }).click();
  await expect(page.getByRole("heading", { name: "No channels yet" })).toBeVisible();
  await Promise.all([good.close(), bad.close()]);
});

test("a channel that a rule notifies names the rule and is not deleted @full", async ({ api, page, faults }) => {
  faults.expect(/status of 400/);
  const channel = await api.post<{ uid: string }>("/fleet/alerts/channels/", {
    name: "On-call",
    type: "email",
    config: { recipients: ["a@example.com"] },
  });
  await api.post("/fleet/rules/", {
    name: "High temp",
    condition: { type: "threshold", topic: "/motor", field: "temp", operator: "gt", value: 80 },
    actions: [{ type: "notify", channel_id: channel.uid }],
  });
  await page.goto(`/settings/channels?selected=${channel.uid}`);
  const drawer = page.getByRole("dialog", { name: "On-call" });
  await expect(drawer.getByRole("heading", { name: "Delivery log" })).toBeVisible();
  await lookAround(page);
  await inEveryLook(page, async () => {
    await page.goto("/settings/channels");
    await expect(page.getByRole("row", { name: /On-call/ })).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  await live(page);
  await page.getByRole("row", { name: /On-call.*1 rule/ }).hover();
  await page.getByRole("button", { name: "Actions for On-call" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("alertdialog").or(page.getByRole("dialog", { name: "Delete On-call?" }));
  await expect(dialog.getByText(/High temp/)).toBeVisible();
  await dialog.getByRole("button", { name: "Delete channel" }).click();
  await expect(page.getByText(/This channel is used by "High temp"/)).toBeVisible();
});

test("a webhook's signing secret is shown once", async ({ page }) => {
  const good = await receiver(200);
  await page.goto("/settings/channels");
  await live(page);
  await page.getByRole("button", { name: "Create channel" }).click();
  const dialog = page.getByRole("dialog", { name: "Create channel" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Hook");
  await dialog.getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "Webhook" }).click();
  await dialog.getByRole("textbox", { name: "Address" }).fill(good.url);
  await dialog.getByRole("button", { name: "Create channel" }).click();
  const secret = page.getByRole("dialog", { name: "Signing secret" });
  await expect(secret.getByLabel("Signing secret", { exact: true })).not.toBeEmpty();
  await secret.getByRole("checkbox", { name: "I stored it" }).click();
  await secret.getByRole("button", { name: "Done" }).click();
  await expect(page.getByRole("dialog", { name: "Hook" })).toBeVisible();
  await good.close();
});
