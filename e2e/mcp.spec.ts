import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, inEveryLook, live, test, reload } from "./fixtures";

const run = promisify(execFile);

/** As the operator of the installation does it. */
async function makeStaff({ email }: { email: string }): Promise<void> {
  const root = path.dirname(import.meta.dirname);
  const cli = ["dist/cli.mjs", "users", "make-staff", email];
  await run(process.execPath, cli, { cwd: root, env: { ...process.env, DATA_DIR: process.env.E2E_DATA_DIR } });
}

test("the MCP page shows who is no staff the command, and staff their key, its tools and snippets", async ({
  page,
  person,
  faults,
}) => {
  await page.goto("/settings/mcp");
  await live(page);
  const address = `${new URL(page.url()).origin}/api/v1/mcp/`;
  await expect(page.getByText(address, { exact: true })).toBeVisible();
  // Before scripts run it is the same, at whichever of its addresses the browser asks.
  const { port, host } = new URL(page.url());
  for (const asked of [host, `localhost:${port}`]) {
    const drawn = await (await page.request.get("/settings/mcp", { headers: { host: asked } })).text();
    expect(drawn).toContain(`>http://${asked}/api/v1/mcp/<`);
  }
  await expect(page.getByText("Writes off")).toBeVisible();
  await expect(page.getByText(`npm run muster -- users make-staff ${person.email}`)).toBeVisible();
  await expect(page.getByRole("button", { name: "Check" })).toHaveAttribute("aria-disabled", "true");
  await expect(page.getByText("No tool was called yet.")).toBeVisible();

  await makeStaff(person);
  await reload(page);
  await live(page);
  await page.getByLabel("Or enter one, which stays in this page").fill("svk_wrong");
  faults.expect(/401/);
  await page.getByRole("button", { name: "Check" }).click();
  await expect(page.getByText("This key is not known.")).toBeVisible();
  await page.getByRole("button", { name: "Make a key" }).click();
  const key = (await page.getByLabel("API key", { exact: true }).textContent()) ?? "";
  expect(key).toMatch(/^svk_/);
  await page.getByRole("button", { name: "Check" }).click();
  await expect(page.getByText(/\d+ tools in/)).toBeVisible();
  await expect(page.getByRole("list", { name: "Tools that read" })).toContainText("fleet_health");

  for (const host of ["Claude Code", "Claude Desktop", "Cursor", "VS Code", "curl"]) {
    await page.getByRole("tab", { name: host }).click();
    // The panel before leaves a moment later.
    await expect(page.getByRole("tabpanel")).toHaveCount(1);
    const code = (await page.getByRole("tabpanel").locator("code").textContent()) ?? "";
    expect(code).toContain(address);
    expect(code).toContain(key);
    if (code.startsWith("{")) expect(Object.keys(JSON.parse(code) as object)).toHaveLength(1);
    else if (host === "curl") {
      const { stdout } = await run("bash", ["-c", code]);
      expect(stdout).toContain("structuredContent");
    } else await run("bash", ["-n", "-c", code]);
  }
  const calls = page.getByRole("region", { name: "Last calls" });
  await expect(calls).toContainText("fleet_health");
  await inEveryLook(page, async () => {
    await page.goto("/settings/mcp");
    await live(page);
    await expect(calls).toContainText("fleet_health");
  });
});
