import type { Page } from "@playwright/test";
import {
  checkAxe,
  expect,
  inEveryLook,
  live,
  lookAround,
  raiseAlert,
  registerDevice,
  signUp,
  test,
  unique,
  widths,
  reload,
} from "./fixtures";
import { openAsInvited, openAsMember } from "./members";
import { recordingBytes, uploadRecording } from "./recording-files";

const viewOnly = "You can only view.";
const adminsOnly = "Only admins can do this.";

/** The reason that a control which cannot be used shows when the keyboard reaches it, and has for screen readers. */
async function expectRefused(page: Page, name: string | RegExp, reason: string): Promise<void> {
  const button = page.getByRole("button", { name }).first();
  await expect(button).toHaveAttribute("aria-disabled", "true");
  await expect(button).toHaveAccessibleDescription(reason);
  await button.focus();
  await expect(page.getByText(reason).first()).toBeVisible();
  await button.blur();
}

const openRowMenu = async (page: Page, name: string): Promise<void> => {
  const row = page.getByRole("row", { name: new RegExp(name) });
  await row.hover();
  await row
    .getByRole("button", { name: new RegExp(name) })
    .last()
    .click();
};

test("a person who can only view sees everything, and why nothing can be changed", async ({
  page,
  browser,
  request,
  api,
}) => {
  test.setTimeout(120_000);
  const device = await registerDevice(api);
  const rule = unique("rule");
  await api.post("/fleet/rules/", {
    name: rule,
    condition: { type: "threshold", topic: "/t", field: "x", operator: "gt", value: 1 },
    actions: [{ type: "flag_for_review" }],
  });
  const guest = await signUp(request);
  await page.goto("/settings/members");
  await page.getByRole("button", { name: "Invite" }).click();
  await page.getByLabel("E-mail addresses").fill(guest.email);
  await page.getByLabel("E-mail addresses").press("Enter");
  await page.getByRole("radio", { name: "Viewer" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Invite", exact: true }).click();
  await expect(page.getByText(`${guest.email}: invited`)).toBeVisible();
  await page.keyboard.press("Escape");

  const viewer = await openAsInvited(browser, api, guest);
  await inEveryLook(viewer, async () => {
    await viewer.goto("/devices");
    await expect(viewer.getByText("View only")).toBeVisible();
  });
  await viewer.setViewportSize(widths.desk);
  await expectRefused(viewer, "Register device", viewOnly);
  await openRowMenu(viewer, device.name);
  await expect(viewer.getByRole("menuitem", { name: /Delete/ })).toHaveAttribute("aria-disabled", "true");
  await expect(viewer.getByRole("menuitem", { name: /Delete.*You can only view/ })).toBeVisible();
  await checkAxe(viewer);
  await viewer.keyboard.press("Escape");

  await viewer.goto("/rules");
  await expect(viewer.getByRole("switch", { name: `${rule} is on` })).toHaveAttribute("aria-readonly", "true");
  await expectRefused(viewer, "New rule", viewOnly);
  for (const [path, button] of [
    ["/settings/members", "Invite"],
    ["/settings/organization", "Save retention"],
  ] as const) {
    await viewer.goto(path);
    await expectRefused(viewer, button, viewOnly);
  }

  await viewer.goto("/settings/api-keys");
  await viewer.getByRole("button", { name: "Create key" }).first().click();
  await expect(viewer.getByRole("radio", { name: "Full access" })).toBeDisabled();
  await expect(viewer.getByRole("radio", { name: "Read only" })).toBeChecked();

  // Once the limit is lifted, a member still does not do what needs an admin or the author.
  await reload(page);
  await expect(
    page.getByRole("row", { name: new RegExp(guest.email) }).getByText("Viewer", { exact: true }),
  ).toBeVisible();
  await openRowMenu(page, guest.email.split("@")[0] ?? "");
  await page.getByRole("menuitemcheckbox", { name: "Member" }).click();
  await expect(page.getByText("is now a member")).toBeVisible();
  await viewer.goto("/devices");
  await expect(viewer.getByText("View only")).toHaveCount(0);
  await expectRefused(viewer, "Register device", adminsOnly);
  await viewer.goto("/rules");
  await expect(viewer.getByRole("link", { name: "New rule" })).toBeVisible();
  await openRowMenu(viewer, rule);
  await expect(viewer.getByRole("menuitem", { name: /Edit.*Only its author and admins/ })).toBeVisible();
  await viewer.context().close();
});

test("a person who can only view triages no alert, by no button, menu or key", async ({
  page,
  browser,
  request,
  api,
}) => {
  const uid = await raiseAlert(page, "critical");
  const viewer = await openAsMember(browser, request, api, true);
  await viewer.goto("/alerts");
  await live(viewer);
  await expectRefused(viewer, "Test an alert", viewOnly);
  // On a touch screen, which has no hover and no keyboard, a tap shows it.
  await expect(viewer.getByText(viewOnly)).toHaveCount(0);
  await viewer
    .getByRole("button", { name: "Test an alert" })
    .first()
    .dispatchEvent("pointerup", { pointerType: "touch" });
  await expect(viewer.getByText(viewOnly)).toBeVisible();
  await viewer.keyboard.press("j");
  for (const key of ["a", "r", "s", "i", "u"]) await viewer.keyboard.press(key);
  await expect(viewer.getByRole("listitem").filter({ hasText: viewOnly }).first()).toBeVisible();
  await expect(viewer.getByRole("dialog")).toHaveCount(0);
  await viewer.keyboard.press("?");
  const keys = viewer.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(keys.getByRole("term").filter({ hasText: "Acknowledge" })).toContainText(viewOnly);
  await viewer.keyboard.press("Escape");
  await viewer.keyboard.press("x");
  for (const name of ["Acknowledge", "Resolve", "Assign", "Snooze"]) await expectRefused(viewer, name, viewOnly);

  await viewer.goto(`/alerts/${uid}`);
  for (const name of ["Acknowledge", "Resolve", "Assign", "Comment"]) await expectRefused(viewer, name, viewOnly);
  await expect(viewer.getByRole("textbox", { name: "Comment" })).toHaveAttribute("readonly", "");
  await viewer.getByRole("button", { name: "Actions for Test alert" }).click();
  const items = viewer.getByRole("menuitem");
  await expect(items.first()).toBeVisible();
  for (const item of await items.all()) {
    await expect(item).toHaveAttribute("aria-disabled", "true");
    await expect(item).toHaveAccessibleName(/You can only view/);
  }
  await checkAxe(viewer);
  expect(await api.get(`/fleet/alerts/${uid}/`)).toMatchObject({ status: "open", assignee: null });
  await viewer.context().close();
});

test("first steps, the palette and dialogs that an address opens say what a role cannot do @full", async ({
  browser,
  request,
  api,
}) => {
  const viewer = await openAsMember(browser, request, api, true);
  const member = await openAsMember(browser, request, api, false);
  await viewer.goto("/overview");
  for (const [name, reason] of [
    ["Explore demo fleet", viewOnly],
    ["Register a device", viewOnly],
    ["Upload a recording", viewOnly],
  ] as const)
    await expectRefused(viewer, name, reason);
  await member.goto("/overview");
  await expectRefused(member, "Explore demo fleet", adminsOnly);
  await expect(member.getByRole("link", { name: "Upload a recording" })).toBeVisible();

  await live(member);
  await member.keyboard.press("Control+k");
  await member.getByRole("combobox", { name: "Search and commands" }).fill("register");
  await member.getByRole("option", { name: `Register device ${adminsOnly}` }).click();
  await expect(member).toHaveURL(/\/overview$/);
  await member.getByRole("combobox", { name: "Search and commands" }).fill("new rule");
  await member.getByRole("option", { name: "New rule", exact: true }).click();
  await expect(member).toHaveURL(/\/rules\/new$/);

  for (const [path, name] of [
    ["/devices?register=1", /^Register$/],
    ["/recordings?upload=1", /^Upload$/],
    ["/settings/silences?new=1", /^Silence/],
    ["/rules/new", /^Create rule$/],
  ] as const) {
    await viewer.goto(path);
    await expectRefused(viewer, name, viewOnly);
  }
  await member.goto("/devices?register=1");
  await expectRefused(member, /^Register$/, adminsOnly);

  // With a device there are first steps, of which a member takes some.
  await registerDevice(api);
  await member.goto("/overview");
  await member.getByRole("button", { name: "All steps" }).click();
  const steps = member.getByRole("listitem");
  await expect(steps.filter({ hasText: "Connect a channel" })).toContainText(adminsOnly);
  await expect(steps.filter({ hasText: "Connect a channel" }).getByRole("link")).toHaveCount(0);
  await expect(steps.filter({ hasText: "Upload a recording" }).getByRole("link")).toBeVisible();
  await viewer.context().close();
  await member.context().close();
});

test("a person who can only view changes no recording, event or device, on any of their pages", async ({
  browser,
  request,
  api,
}) => {
  const { uid } = await uploadRecording(api, request, {
    bytes: recordingBytes(50),
    device: "arm-04",
    name: "Night run",
  });
  const { device_id: device } = await api.get<{ device_id: string }>(`/fleet/recordings/${uid}/`);
  const event = await api.post<{ uid: string }>("/fleet/events/", {
    recording_id: uid,
    type: "anomaly",
    label: "Gripper slipped",
    timestamp: "2026-02-01T10:00:01.000Z",
  });
  const viewer = await openAsMember(browser, request, api, true);
  await viewer.goto(`/recordings/${uid}`);
  await live(viewer);
  await expect(viewer.getByRole("slider", { name: "Playhead" })).toBeVisible();
  for (const name of ["Archive", "Edit tags", "Create event at playhead"]) await expectRefused(viewer, name, viewOnly);
  await viewer.keyboard.press("e");
  await expect(viewer.getByRole("listitem").filter({ hasText: viewOnly })).toBeVisible();
  await expect(viewer.getByRole("dialog")).toHaveCount(0);
  await viewer.goto(`/events?selected=${event.uid}`);
  await expectRefused(viewer, "Edit", viewOnly);
  await viewer.goto(`/devices/${device}`);
  for (const name of ["Maintenance", "Edit tags"]) await expectRefused(viewer, name, viewOnly);
  await viewer.goto(`/devices/${device}?tab=metadata`);
  await expectRefused(viewer, /^Edit$/, viewOnly);
  await viewer.goto(`/devices/${device}?tab=rules`);
  await checkAxe(viewer);
  await viewer.goto("/settings/members?tab=roles");
  await expect(viewer.getByRole("row", { name: "Transfer ownership None None None Yes" })).toBeVisible();
  await expect(viewer.getByRole("heading", { name: "What the roles can do" })).toBeVisible();
  await lookAround(viewer);
  await viewer.context().close();
});

test("a member who cancels an upload archives its recording, as only admins delete @full", async ({
  browser,
  request,
  api,
}) => {
  const device = await registerDevice(api, { name: "arm-01" });
  const member = await openAsMember(browser, request, api, false);
  await member.route("**/files/upload/**", (route) => route.abort("internetdisconnected"));
  await member.goto(`/recordings?upload=1&device_id=${device.uid}`);
  await live(member);
  const dialog = member.getByRole("dialog", { name: "Upload recordings" });
  const file = { name: "run.mcap", mimeType: "", buffer: recordingBytes(30) };
  await dialog.getByLabel("Files to upload").setInputFiles([file]);
  await dialog.getByRole("button", { name: "Upload 1 recording" }).click();
  await expect(dialog.getByText("No connection. The upload resumes by itself.")).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel upload of run" }).click();
  await expect(member.getByText("Its recording is archived. Only admins can delete it.")).toBeVisible();
  const { results } = await api.get<{ results: { status: string }[] }>("/fleet/recordings/?status=archived");
  expect(results).toHaveLength(1);
  await member.context().close();
});
