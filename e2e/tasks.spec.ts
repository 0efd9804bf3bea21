import { makeTasks } from "./data-loop";
import { checkAxe, expect, inEveryLook, live, lookOnce, test } from "./fixtures";

test("the tasks are a key away, tab by tab, as one list of the organization and as one of their project", async ({
  page,
  api,
  request,
}) => {
  const { project, submit } = await makeTasks(request, api, 3);
  await submit(0);
  const { uid: rejected } = await submit(1);
  await api.post(`/results/${rejected}/reject/`, { reason: "box too large" });
  await page.goto("/projects");
  await live(page);
  await page.keyboard.press("g");
  await page.keyboard.press("j");
  await page.waitForURL("/tasks");
  await expect(page.getByRole("heading", { name: "Nothing for you" })).toBeVisible();
  await expect(page.getByText(`2 are unassigned in ${project.name}.`)).toBeVisible();
  await lookOnce(page);

  await page.getByRole("tab", { name: "Mine" }).focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/list=unassigned/);
  const table = page.getByRole("table", { name: "Tasks" });
  await expect(table.getByRole("row")).toHaveCount(3);
  await expect(table.getByText("back from")).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");

  await inEveryLook(page, async () => {
    await page.goto("/tasks?list=all");
    await live(page);
    await expect(table.getByRole("row")).toHaveCount(4);
  });
  await page.goto(`/projects/${project.uid}?tab=tasks&list=submitted`);
  await live(page);
  await expect(table.getByRole("row")).toHaveCount(2);
  await checkAxe(page);
});
