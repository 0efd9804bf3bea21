import { spawn, type ChildProcess } from "node:child_process";
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import type { Locator, Page } from "@playwright/test";
import { inDatabase, makeTasks } from "./data-loop";
import { expect, inEveryLook, live, lookAround, lookOnce, test, unique, widths, type Api, reload } from "./fixtures";

const running: ChildProcess[] = [];
const folders: string[] = [];

test.afterEach(async () => {
  for (const child of running.splice(0)) await end(child);
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

const commands = { Node: ["node", "agent.mjs"], Python: ["python3", "agent.py"], curl: ["sh", "agent.sh"] } as const;
type Language = keyof typeof commands;

/** Stores code as it was copied and runs it; resolves with what it printed when `until` is in it. */
async function run(language: Language, code: string, until: RegExp): Promise<{ output: string; child: ChildProcess }> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "muster-agent-"));
  folders.push(folder);
  const [program, file] = commands[language];
  fs.writeFileSync(path.join(folder, file), code);
  const child = spawn(program, [file], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  running.push(child);
  let output = "";
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      if (until.test(output)) resolve();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("close", (status) => reject(new Error(`it ended with ${status}: ${output}`)));
    child.once("error", reject);
  });
  return { output, child };
}

/** A port that nothing listens on. */
async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const readCode = async (dialog: Locator, language: Language): Promise<string> => {
  await dialog.getByRole("tab", { name: language }).click();
  return (await dialog.getByLabel(language, { exact: true }).locator("code").textContent()) ?? "";
};

/** Registers an agent in the dialog that is open; resolves to the dialog with its secret. */
async function register(page: Page, name: string, callback?: string): Promise<Locator> {
  const dialog = page.getByRole("dialog", { name: "Register an agent" });
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  if (callback !== undefined) {
    await dialog.getByRole("radio", { name: "Muster pushes" }).click();
    await dialog.getByRole("textbox", { name: "Callback address" }).fill(callback);
  }
  await dialog.getByRole("button", { name: "Register", exact: true }).click();
  return page.getByRole("dialog", { name: `${name} is registered` });
}

const finish = async (connect: Locator): Promise<void> => {
  await connect.getByRole("checkbox", { name: "I stored it" }).click();
  await connect.getByRole("button", { name: "Done" }).click();
};

/** Shows the rows that arrived since. */
const showNew = (page: Page) => page.getByRole("button", { name: /^\d+ new$/ }).click();

test("an agent that polls runs the code as it was copied and is seen; a person acts by hand; the rest is too late", async ({
  page,
  api,
  request,
}) => {
  test.setTimeout(180_000);
  const { submit } = await makeTasks(request, api, 3);
  await page.goto("/agents");
  await expect(page.getByRole("heading", { name: "No agents yet" })).toBeVisible();
  await live(page);
  await page.keyboard.press("n");
  const form = page.getByRole("dialog", { name: "Register an agent" });
  await form.getByRole("checkbox", { name: "export.completed" }).focus();
  await expect(form.getByText("An export can be downloaded")).toBeVisible();
  await expect(form.getByLabel("Body of export.completed").locator("code")).toContainText("execution_uid");
  await lookAround(page);
  const connect = await register(page, "Label check");
  await expect(connect.getByLabel("Signing secret", { exact: true })).toContainText("whsec_");
  await connect.getByRole("button", { name: "Make a key" }).click();
  await expect(connect.getByText("The code below holds a key of yours")).toBeVisible();
  await expect(connect.getByText("Waiting for its first action…")).toBeVisible();
  await connect.getByRole("button", { name: "Send test" }).click();
  const program = await run("Node", await readCode(connect, "Node"), /test\.ping skip/);
  await expect(connect.getByText("Label check works")).toBeVisible();
  await finish(connect);

  // Its page: an approval by the code, whose result is accepted.
  await expect(page).toHaveURL(/\/agents\/[0-9a-f-]+$/);
  const about = page.getByRole("complementary", { name: "About this agent" });
  await expect(about.getByText(/^(now|\d+ [sm] ago)$/).first()).toBeVisible();
  const rows = page.getByRole("table", { name: "Executions" }).getByRole("row");
  await expect(rows.filter({ hasText: "A test" })).toContainText("Skipped");
  await lookAround(page);
  const first = await submit(0);
  await showNew(page);
  const approved = rows.filter({ hasText: "Approved" });
  await expect(approved).toContainText("Agent");
  await expect(approved).toContainText("1 annotated");
  await end(program.child);
  await approved.click();
  const drawer = page.locator("[data-shortcuts=page]");
  await expect(drawer.getByText("Result accepted by the agent")).toBeVisible();
  await expect(drawer.getByLabel("As the agent gets it").locator("code")).toContainText(first.uid);
  expect(await api.get(`/results/${first.uid}/`)).toMatchObject({ status: "accepted", reason: "1 annotated" });
  await page.keyboard.press("Escape");

  // By hand, in place of the agent that does not run any more.
  const second = await submit(1);
  await showNew(page);
  await rows.filter({ hasText: "Waiting" }).click();
  await expect(drawer.getByText(/ left/).first()).toBeVisible();
  await expect(page.getByText("As the agent gets it")).toBeVisible();
  await lookAround(page);
  await drawer.getByRole("radio", { name: "Reject" }).click();
  await expect(drawer.getByText(/This rejects the result of .*, and its task is open again\./)).toBeVisible();
  await drawer.getByRole("textbox", { name: "Reason" }).fill("The box is too large");
  await drawer.getByRole("button", { name: "Reject" }).click();
  await expect(drawer.getByText(/Result rejected by /)).toBeVisible();
  expect(await api.get(`/results/${second.uid}/`)).toMatchObject({
    status: "rejected",
    reason: "The box is too large",
  });
  await page.keyboard.press("Escape");

  // The third waits, amber in its last two minutes, then it is too late.
  const third = await submit(2);
  await showNew(page);
  await inDatabase("update agent_executions set deadline = now() + interval '90 s' where result_id = $1", [third.uid]);
  await reload(page);
  await live(page);
  const waiting = rows.filter({ hasText: "Waiting" });
  await expect(waiting.getByText("Waiting")).toHaveClass(/text-warning-text/);
  await inDatabase("update agents set last_seen_at = now() - interval '20 min' where name = 'Label check'");
  await page.getByRole("link", { name: "Agents", exact: true }).first().click();
  const listed = page.getByRole("row", { name: /Label check/ });
  await expect(listed.getByTitle("1 waiting, and it does not ask for them")).toBeVisible();
  await inDatabase("update agent_executions set deadline = now() where result_id = $1", [third.uid]);
  await expect(listed.getByTitle("1 too late in 24 hours")).toBeVisible();
  await listed.click();
  await page.getByRole("dialog", { name: "Label check" }).getByRole("link", { name: "Open" }).click();
  await expect(rows.filter({ hasText: "Too late" })).toContainText("Nobody acted on it in time.");
});

test("the code in Python and for a terminal works as it was copied, too @full", async ({ page }) => {
  await page.goto("/agents?register=1");
  await live(page);
  const connect = await register(page, unique("poller"));
  await connect.getByRole("button", { name: "Make a key" }).click();
  await expect(connect.getByText("The code below holds a key of yours")).toBeVisible();
  await connect.getByRole("button", { name: "Send test" }).click();
  await run("curl", await readCode(connect, "curl"), /"action":"skip"/);
  await expect(connect.getByText("Its first action: skipped, “from a terminal”.")).toBeVisible();
  await connect.getByRole("button", { name: "Send test" }).click();
  await run("Python", await readCode(connect, "Python"), /test\.ping skip/);
  await finish(connect);
});

for (const language of ["Node", "Python"] as const) {
  test(`an agent that is pushed to verifies the signature in ${language}, and decides in its response`, async ({
    page,
    api,
    request,
  }) => {
    const { submit } = await makeTasks(request, api, 1);
    await page.goto("/agents?register=1");
    await live(page);
    const callback = `http://127.0.0.1:${await freePort()}/events`;
    const connect = await register(page, unique("pushed"), callback);
    await run(language, await readCode(connect, language), /listening on \d+/);
    const forged = await request.post(callback, { data: { event: "test.ping" } });
    expect(forged.status()).toBe(401);
    // What the terminal's tab sends is signed as Muster signs.
    await run("curl", await readCode(connect, "curl"), /"action": ?"skip"/);
    await connect.getByRole("button", { name: "Send test" }).click();
    await expect(connect.getByText("Its first action: skipped.")).toBeVisible();
    await finish(connect);
    await expect(page.getByRole("table", { name: "Executions" })).toBeVisible();
    const { uid } = await submit(0);
    await expect.poll(async () => (await api.get<{ status: string }>(`/results/${uid}/`)).status).toBe("accepted");
    await showNew(page);
    await page.getByRole("row", { name: /Approved/ }).click();
    const drawer = page.locator("[data-shortcuts=page]");
    await expect(drawer.getByText("Result accepted by the agent")).toBeVisible();
    await expect(drawer.getByText(/Status 200/)).toBeVisible();
  });
}

interface Agent {
  uid: string;
  name: string;
}
const createAgent = (api: Api, input: object = {}) =>
  api.post<Agent>("/agents/", { name: unique("agent"), events: ["result.submitted"], ...input });

test("a name that exists says what registering it changes, and changes it @full", async ({ page, api }) => {
  const agent = await createAgent(api, { events: ["export.completed"], callback_url: "https://example.com/agent" });
  await page.goto("/agents?register=1");
  await live(page);
  const form = page.getByRole("dialog", { name: "Register an agent" });
  await form.getByRole("textbox", { name: "Name" }).fill(agent.name);
  await expect(form.getByRole("status")).toContainText(`${agent.name} exists.`);
  await expect(form.getByRole("status")).toContainText("it also gets result.submitted");
  await expect(form.getByRole("status")).toContainText("Push to example.com → Polls");
  await form.getByRole("button", { name: "Change agent" }).click();
  await expect(page).toHaveURL(new RegExp(`/agents/${agent.uid}$`));
  await expect(page.getByText(`${agent.name} was changed`)).toBeVisible();
  await expect(page.getByText("Polls for its executions")).toBeVisible();
});

test("a failed push lists its attempts and is sent again; an agent is paused, and deleted by typing its name @full", async ({
  page,
  api,
}) => {
  const agent = await createAgent(api, { callback_url: `http://127.0.0.1:${await freePort()}/nobody` });
  const ping = await api.post<{ execution_uid: string }>(`/agents/${agent.uid}/test/`);
  const isTried = async () =>
    (await api.get<{ results: { attempts: number }[] }>(`/agents/${agent.uid}/executions/`)).results[0]?.attempts;
  await expect.poll(isTried).toBe(1);
  // Without waiting for the retries of half a minute.
  await inDatabase(
    `update agent_executions set status = 'failed', next_attempt_at = null, completed_at = now(),
       error_message = 'The connection was refused.' where uid = $1`,
    [ping.execution_uid],
  );
  await page.goto(`/agents/${agent.uid}?selected=${ping.execution_uid}`);
  await live(page);
  const drawer = page.getByRole("dialog", { name: "A test" });
  await expect(drawer.getByText("The connection was refused.").first()).toBeVisible();
  await expect(drawer.getByRole("heading", { name: "Attempts" })).toBeVisible();
  await drawer.getByRole("button", { name: "Send again" }).click();
  await expect(drawer.getByText("It waits for the agent.")).toBeVisible();
  await page.keyboard.press("Escape");

  await page.getByRole("switch", { name: `${agent.name} is active` }).click();
  await expect(page.getByText("Paused", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("Paused", { exact: true })).toHaveCount(0);

  await page.getByRole("button", { name: `Actions for ${agent.name}` }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const dialog = page.getByRole("dialog", { name: `Delete ${agent.name}?` });
  const remove = dialog.getByRole("button", { name: "Delete agent" });
  await expect(remove).toBeDisabled();
  await dialog.getByRole("textbox").fill(agent.name);
  await remove.click();
  await expect(page).toHaveURL(/\/agents$/);
  await expect(page.getByRole("heading", { name: "No agents yet" })).toBeVisible();
});

test("the list and its executions are filtered in the address, walked by keys, and reached by g b", async ({
  page,
  api,
}) => {
  const polling = await createAgent(api, { name: "Label check" });
  const pushed = { callback_url: "https://example.com/agent", description: "Looks at boxes", is_active: false };
  const trainer = await createAgent(api, { name: "Trainer", ...pushed });
  await page.goto("/overview");
  await live(page);
  await page.keyboard.press("g");
  await page.keyboard.press("b");
  await expect(page).toHaveURL(/\/agents$/);
  await expect(page.getByRole("row", { name: /Trainer/ })).toContainText("Push to example.com");
  await page.goto(`/agents?selected=${trainer.uid}`);
  await expect(page.getByRole("dialog", { name: "Trainer" }).getByText("Looks at boxes")).toBeVisible();
  await lookOnce(page);
  await inEveryLook(page, async () => {
    await page.goto("/agents");
    await expect(page.getByRole("row", { name: /Trainer/ })).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  await page.goto("/agents?mode=poll&search=label");
  await live(page);
  await expect(page.getByRole("row", { name: /Label check/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /Trainer/ })).toHaveCount(0);
  await page.keyboard.press("j");
  await page.keyboard.press("t");
  await expect(page.getByText("A test waits for Label check")).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`/agents/${polling.uid}`));
  await expect(page.getByRole("row", { name: /A test/ })).toContainText("Waiting");
  await page.goto(`/agents/${polling.uid}?status=failed&since=-24h`);
  await live(page);
  await expect(page.getByText("No executions match 2 filters")).toBeVisible();
  await expect(page.getByText("Without the filter by status some would.")).toBeVisible();
});
