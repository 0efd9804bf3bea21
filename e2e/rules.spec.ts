import type { APIRequestContext } from "@playwright/test";
import {
  back,
  checkAxe,
  expect,
  inEveryLook,
  live,
  lookAround,
  lookAtTabs,
  test,
  widths,
  type Api,
  reload,
} from "./fixtures";
import { recordingBytes, uploadRecording } from "./recording-files";

const hot = { type: "threshold", topic: "/motor/temp", field: "value", operator: "gt", value: 80 };
const flag = [{ type: "flag_for_review", severity: "error" }];

const makeRule = (api: Api, name: string, rest: object = {}): Promise<{ uid: string }> =>
  api.post("/fleet/rules/", { name, condition: hot, actions: flag, ...rest });

/** A device with one processed recording of a motor that gets hot. */
async function record(api: Api, request: APIRequestContext): Promise<string> {
  const { uid } = await uploadRecording(api, request, {
    bytes: recordingBytes(600),
    device: "arm-01",
    name: "Night run",
  });
  await expect.poll(async () => (await api.get<{ status: string }>(`/fleet/recordings/${uid}/`)).status).toBe("ready");
  return uid;
}

test.describe("with a recording to preview", () => {
  let recording = "";
  test.beforeEach(async ({ api, request }) => {
    recording = await record(api, request);
  });

  test("a rule is built from recorded topics, previewed before it is saved, and active afterwards", async ({
    api,
    page,
  }) => {
    await page.goto("/rules/new");
    await live(page);
    await page.getByRole("combobox", { name: "Topic" }).fill("/motor");
    await page.getByRole("option", { name: /\/motor\/temp/ }).click();
    await expect(page.getByText("Seen on 1 of 1 devices")).toBeVisible();
    await page.getByRole("combobox", { name: "Field" }).click();
    await page.getByRole("option", { name: /value.*p50/ }).click();
    await page.getByRole("textbox", { name: "Value", exact: true }).fill("80");
    const preview = page.getByRole("region", { name: "Preview" });
    await expect(preview.getByText(/^Triggers \d+ times on 1 of 1 device/)).toBeVisible();
    await expect(preview.getByRole("button", { name: /Night run.*hits/ })).toHaveAttribute("aria-expanded", "true");
    await expect(preview.locator(".uplot canvas")).toBeVisible();
    await page.getByRole("textbox", { name: "Value", exact: true }).fill("95");
    await expect(preview.getByText(/^Triggers 0 times/)).toBeVisible();
    await page.getByRole("textbox", { name: "Name" }).fill("Motor too hot");
    await page.getByRole("button", { name: "Create rule" }).click();
    const doubt = page.getByRole("dialog", { name: "Save it anyway?" });
    await expect(doubt.getByText("It would not have triggered on any of these recordings.")).toBeVisible();
    await doubt.getByRole("button", { name: "Create rule" }).click();
    await expect(page.getByRole("heading", { name: "Motor too hot", level: 1 })).toBeVisible();
    const { results } = await api.get<{ results: { name: string; condition: object; builtin: boolean }[] }>(
      "/fleet/rules/",
    );
    expect(results.find(({ builtin }) => !builtin)).toMatchObject({
      name: "Motor too hot",
      condition: { ...hot, value: 95 },
    });
  });

  test("the builder begins with the name, shows its examples whole, and draws no bars for a single day @full", async ({
    page,
  }) => {
    await page.goto(`/rules/new?recording=${recording}&condition=${encodeURIComponent(JSON.stringify(hot))}`);
    await live(page);
    await expect(page.getByRole("main").getByRole("textbox").first()).toHaveAccessibleName("Name");
    const examples = page.getByRole("group", { name: "Kind of condition" }).locator("label span:last-child");
    const cut = await examples.evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length);
    expect(cut).toBe(0);
    const preview = page.getByRole("region", { name: "Preview" });
    await expect(preview.getByText(/^Triggers \d+ times on 1 of 1 device/)).toBeVisible();
    await expect(preview.locator(".uplot canvas")).toBeVisible();
    await expect(preview.getByRole("figure")).toHaveCount(0);
    await page.getByText("Reduce noise").click();
    await expect(page.getByRole("textbox", { name: "Cooldown" })).toBeVisible();
    await page.getByRole("slider", { name: "Value" }).press("ArrowRight");
    // The slider stops at short numbers, whatever the smallest recorded value is.
    await expect(page.getByRole("textbox", { name: "Value", exact: true })).toHaveValue(/^80\.\d$/);
    // What is being recomputed is dimmed meanwhile.
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
    await checkAxe(page);
  });

  test("a rate rule is previewed and saved, and its alert shows both samples @full", async ({ api, page }) => {
    await page.goto("/rules/new");
    await live(page);
    await page.getByRole("radio", { name: /^Rate/ }).check({ force: true });
    await page.getByRole("combobox", { name: "Topic" }).fill("/motor");
    await page.getByRole("option", { name: /\/motor\/temp/ }).click();
    await page.getByRole("combobox", { name: "Field" }).click();
    await page.getByRole("option", { name: /value.*p50/ }).click();
    await page.getByRole("textbox", { name: "Change per second" }).fill("20");
    const preview = page.getByRole("region", { name: "Preview" });
    await expect(page.getByText("/motor/temp value rises faster than 20 per second")).toBeVisible();
    await expect(preview.getByText(/^Triggers 10 times on 1 of 1 device/)).toBeVisible();
    await expect(preview.locator(".uplot canvas")).toBeVisible();
    await page.getByRole("textbox", { name: "Measured over (optional)" }).fill("2s");
    await expect(page.getByText(/faster than 20 per second over 2s/)).toBeVisible();
    await page.getByRole("textbox", { name: "Name" }).fill("Heats up fast");
    await page.getByRole("checkbox", { name: "Also run over past recordings" }).check();
    await page.getByRole("button", { name: "Create rule" }).click();
    await expect(page.getByText(/Ran over 1 past recording/)).toBeVisible();
    const { results } = await api.get<{ results: { uid: string; condition: object }[] }>(
      "/fleet/rules/?condition_type=rate",
    );
    expect(results).toMatchObject([{ condition: { ...hot, type: "rate", value: 20, over: "2s" } }]);
    const alerts = await api.get<{ results: { uid: string }[] }>(`/fleet/alerts/?rule_id=${results[0]?.uid}`);
    await page.goto(`/alerts/${alerts.results[0]?.uid}`);
    const evidence = page.getByRole("table", { name: "Conditions when it triggered" });
    await expect(evidence.getByText("rises faster than 20 per second")).toBeVisible();
    await expect(evidence.getByText(/^[\d.]+ → [\d.]+ in 2 s$/)).toBeVisible();
  });

  test("a change is compared with the saved version, saved with its note, and an old version is restored", async ({
    api,
    page,
  }) => {
    const { uid } = await makeRule(api, "Motor too hot");
    await page.goto(`/rules/${uid}/edit`);
    await live(page);
    await page.getByRole("textbox", { name: "Value", exact: true }).fill("89.9");
    await expect(
      page.getByText(/Compared with version 1: (the same \d+ hits?|\+\d+ new, −\d+ gone, \d+ kept)/),
    ).toBeVisible();
    await page.getByRole("textbox", { name: "Note on this version" }).fill("Too many");
    await page.getByRole("checkbox", { name: "Also run over past recordings" }).check();
    await page.getByRole("button", { name: "Save version" }).click();
    const doubt = page.getByRole("dialog", { name: "Save it anyway?" });
    await expect(doubt.or(page.getByText(/past recording/).first())).toBeVisible();
    if (await doubt.isVisible()) await doubt.getByRole("button", { name: "Save version" }).click();
    await expect(page.getByText(/Ran over 1 past recording/)).toBeVisible();
    await lookAtTabs(page, ["Hits", "Noise"]);
    await page.getByRole("tab", { name: "Evaluations" }).click();
    await expect(page.getByRole("row", { name: /Night run.*v2/ })).toBeVisible();
    await lookAround(page);
    await page.getByRole("tab", { name: "Versions" }).click();
    await expect(page.getByText(/Too many/)).toBeVisible();
    await expect(page.getByText("80 → 89.9")).toBeVisible();
    await page.getByText("Show the change as JSON").click();
    await expect(page.getByLabel("What version 2 changed")).toContainText('+     "value": 89.9');
    await lookAround(page);
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore version" }).click();
    await expect(page.getByRole("heading", { name: /Version 3/ })).toBeVisible();
  });

  test("conditions are combined and reordered by keyboard, the JSON matches, and what the server refuses is at its field", async ({
    page,
    faults,
  }) => {
    await page.goto(`/rules/new?recording=${recording}&condition=${encodeURIComponent(JSON.stringify(hot))}`);
    await live(page);
    await page.getByRole("radio", { name: /Combination/ }).check({ force: true });
    await page.getByRole("button", { name: "Add condition" }).click();
    await page.getByRole("menuitem", { name: /Absence/ }).click();
    await page.getByRole("combobox", { name: "Topic" }).nth(1).fill("/motor/temp");
    await page.keyboard.press("Escape");
    await expect(page.getByText(/silent for 10s/).first()).toBeVisible();
    const handle = page.getByRole("button", { name: "Move condition 2", exact: true });
    await handle.focus();
    await page.keyboard.press("Space");
    await expect(page.getByText(/^Picked up condition 2 of 2/)).toBeAttached();
    await page.keyboard.press("ArrowUp");
    await expect(page.getByText("Condition 2 is over place 1.")).toBeAttached();
    await page.keyboard.press("Space");
    await expect(page.getByRole("combobox", { name: "Kind of condition 1" })).toHaveText(/Absence/);
    await page.getByRole("tab", { name: "JSON" }).click();
    const text = page.getByRole("textbox", { name: "Rule as JSON" });
    await expect(text).toContainText('"timeout": "10s"');
    await text.fill(JSON.stringify({ condition: { ...hot, topic: "" }, actions: flag, scope: null }));
    await page.getByRole("tab", { name: "Form" }).click();
    await expect(page.getByRole("combobox", { name: "Topic" })).toHaveValue("");
    // What the server refuses is shown at its field.
    faults.expect(/400/);
    await page.getByRole("tab", { name: "JSON" }).click();
    await text.fill(JSON.stringify({ condition: { ...hot, field: "value[" }, actions: flag, scope: null }));
    await page.getByRole("tab", { name: "Form" }).click();
    await expect(page.getByRole("combobox", { name: "Field" })).toHaveAttribute("aria-invalid", "true");
  });
});

test("an unsaved rule survives a shortcut, the palette, Back and a reload, until it is discarded", async ({ page }) => {
  await page.goto("/rules");
  await live(page);
  await page.getByRole("link", { name: "New rule" }).click();
  await expect(page).toHaveURL(/\/rules\/new$/);
  const name = page.getByRole("textbox", { name: "Name" });
  await name.fill("Half done");
  await page.getByRole("textbox", { name: "Value", exact: true }).fill("77");
  const kept = async () => {
    await expect(name).toHaveValue("Half done");
    await expect(page.getByRole("textbox", { name: "Value", exact: true })).toHaveValue("77");
  };
  const question = page.getByRole("dialog", { name: "Leave without saving this rule?" });

  await page.getByRole("heading", { name: "New rule" }).click();
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await question.getByRole("button", { name: "Stay" }).click();
  await expect(page).toHaveURL(/\/rules\/new$/);
  await kept();

  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Search and commands" }).waitFor();
  await page.keyboard.type("audit");
  await page.keyboard.press("Enter");
  await question.getByRole("button", { name: "Leave", exact: true }).click();
  await expect(page).toHaveURL(/\/settings\/audit$/);
  await back(page);
  await expect(page.getByText(/^Your unsaved changes from .* are back/)).toBeVisible();
  await kept();

  await back(page);
  await expect(page).toHaveURL(/\/rules$/);
  await page.getByRole("button", { name: "Go on editing" }).click();
  await expect(page).toHaveURL(/\/rules\/new$/);
  await kept();

  page.once("dialog", (dialog) => void dialog.accept());
  await reload(page);
  await kept();
  await checkAxe(page);
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(name).toHaveValue("");
  await page.getByRole("link", { name: "Cancel" }).click();
  await expect(page).toHaveURL(/\/rules$/);
});

test("the list describes each rule, turns one off and on again, and works by keyboard @full", async ({
  api,
  page,
  faults,
}) => {
  await makeRule(api, "Motor too hot");
  await makeRule(api, "Silent battery", {
    condition: { type: "absence", topic: "/battery", timeout: "15s" },
    enabled: false,
  });
  await inEveryLook(page, async () => {
    await page.goto("/rules");
    await expect(page.getByText("Motor too hot")).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  await live(page);
  await expect(
    page.getByRole("row", { name: /Motor too hot.*\/motor\/temp value > 80.*Flag for review.*All devices/ }),
  ).toBeVisible();
  await page.getByRole("switch", { name: "Motor too hot is on" }).click();
  await expect(page.getByText("Motor too hot is off")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("switch", { name: "Motor too hot is on" })).toBeChecked();
  await page.goto("/rules?condition_type=absence&enabled=false");
  await live(page);
  await expect(page.getByRole("row", { name: /Silent battery/ })).toBeVisible();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Silent battery", level: 1 })).toBeVisible();
  await page.getByRole("button", { name: "Actions for Silent battery" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete rule" }).click();
  await expect(page).toHaveURL(/\/rules$/);
  await expect(page.getByRole("row", { name: /Silent battery/ })).toHaveCount(0);
  faults.expect(/404/);
  await page.goto("/rules/rul_00000000-0000-7000-8000-000000000000");
  await expect(page.getByRole("heading", { name: "Rule not found" })).toBeVisible();
});

test("the form of a rule fits every width, in both themes, also while its preview is computed anew", async ({
  api,
  page,
}) => {
  const { uid } = await makeRule(api, "Motor too hot");
  const preview = page.getByRole("region", { name: "Preview" });
  await inEveryLook(page, async () => {
    await page.goto(`/rules/${uid}/edit`);
    await live(page);
    await expect(preview.getByText(/^Triggers 0 times/)).toBeVisible();
  });
  // What was found stays legible while it is being found anew.
  await page.route(/rules\.preview/, () => {});
  await preview.getByRole("combobox", { name: "Recordings to look at" }).click();
  await page.getByRole("option", { name: "Last 7 days" }).click();
  await expect(preview.locator("[aria-busy=true]")).toBeVisible();
  await checkAxe(page, "colour");
});
