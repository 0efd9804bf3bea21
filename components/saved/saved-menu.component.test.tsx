import { expect, test } from "vitest";
import { SavedQueries } from "@/components/saved/saved-queries";
import { SavedViews } from "@/components/saved/saved-views";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import { ViewResource } from "@/server/features/views/resource";

const view = (members: Partial<ViewResource>): ViewResource =>
  sample(ViewResource, {
    uid: "v1",
    screen: "devices",
    name: "Offline",
    query: "status=offline",
    shared: false,
    owner: "Ada",
    removable: true,
    ...members,
  });
/** The output of a procedure that returns nothing; JSON has none. */
const nothing = undefined as never;
const savedQuery = (uid: string, name: string, sql: string) => ({
  uid,
  name,
  sql,
  created_by: null,
  created_by_name: "Ada",
});

test("views lead to their lists; the one on screen is marked, and who shares one is named", async () => {
  answer("views.list", {
    results: [view({}), view({ uid: "v2", name: "Ours", query: "tags=hall", shared: true, removable: false })],
  });
  const screen = await show(<SavedViews screen="devices" />, "/devices?status=offline&selected=d1");
  await screen.getByRole("button", { name: "Saved views" }).click();
  const offline = screen.getByRole("link", { name: "Offline" });
  await expect.element(offline).toHaveAttribute("aria-current", "true");
  const ours = screen.getByRole("link", { name: "Ours Ada" });
  await expect.element(ours).toHaveAttribute("href", "/devices?tags=hall");
  await expect.element(ours).not.toHaveAttribute("aria-current");
  await expect.element(screen.getByRole("button", { name: "Delete view Ours" })).not.toBeInTheDocument();
  await expectGoodLooks();
});

test("a view is saved with what the address holds, without what belongs to one visit", async () => {
  answer("views.list", { results: [] });
  answer("views.save", view({}));
  const screen = await show(<SavedViews screen="devices" />, "/devices?status=offline&selected=d1");
  await screen.getByRole("button", { name: "Saved views" }).click();
  await expect.element(screen.getByText("No views yet. Set filters, then save them under a name.")).toBeVisible();
  await screen.getByRole("button", { name: "Save view" }).click();
  const dialog = screen.getByRole("dialog", { name: "Save view" });
  await dialog.getByLabelText("Name").fill("Offline");
  await dialog.getByRole("radio", { name: "Everyone in the organization" }).click();
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  expect(listInputs("views.save")).toEqual([
    { screen: "devices", query: "status=offline", name: "Offline", shared: true },
  ]);
});

test("a deleted view comes back by one press, as it was", async () => {
  answer("views.list", { results: [view({ shared: true })] });
  answer("views.delete", nothing);
  answer("views.save", view({}));
  const screen = await show(<SavedViews screen="devices" />, "/devices");
  await screen.getByRole("button", { name: "Saved views" }).click();
  await screen.getByRole("button", { name: "Delete view Offline" }).click();
  await screen.getByRole("button", { name: "Undo" }).click();
  await expect
    .poll(() => listInputs("views.save"))
    .toEqual([{ screen: "devices", name: "Offline", query: "status=offline", shared: true }]);
});

test("a list of views that is refused says so in its menu", async () => {
  refuse("views.list", { status: 403, detail: "You may not see this." });
  const screen = await show(<SavedViews screen="devices" />, "/devices");
  await screen.getByRole("button", { name: "Saved views" }).click();
  await expect.element(screen.getByText("The views could not be loaded.")).toBeVisible();
});

test("a query is taken by a press, and saved for everyone without a choice", async () => {
  const picked: string[] = [];
  answer("signals.saved", { results: [savedQuery("q1", "Seven", "select 7")] });
  answer("signals.save", savedQuery("q2", "Eight", "select 8"));
  const screen = await show(<SavedQueries sql="select 8" onPick={(sql) => picked.push(sql)} />, "/sql");
  await screen.getByRole("button", { name: "Saved queries" }).click();
  await screen.getByRole("button", { name: /^Seven/ }).click();
  expect(picked).toEqual(["select 7"]);
  await screen.getByRole("button", { name: "Saved queries" }).click();
  await screen.getByRole("button", { name: "Save query" }).click();
  const dialog = screen.getByRole("dialog", { name: "Save query" });
  await expect.element(dialog.getByLabelText("Name")).toBeVisible();
  await expect.element(dialog.getByRole("radio")).not.toBeInTheDocument();
  await dialog.getByLabelText("Name").fill("Eight");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expect.element(dialog).not.toBeInTheDocument();
  expect(listInputs("signals.save")).toEqual([{ name: "Eight", sql: "select 8" }]);
});

test("a query that is not written yet cannot be saved, and the button says why", async () => {
  answer("signals.saved", { results: [] });
  const screen = await show(<SavedQueries sql=" " onPick={() => {}} />, "/sql");
  await screen.getByRole("button", { name: "Saved queries" }).click();
  await expect.element(screen.getByText("No queries yet. Write one, then save it under a name.")).toBeVisible();
  await expect.element(screen.getByRole("button", { name: "Save query" })).toHaveAttribute("aria-disabled", "true");
});
