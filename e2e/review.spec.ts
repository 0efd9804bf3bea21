import { expect, live, lookAround, lookOnce, signUp, test } from "./fixtures";
import { openAsInvited } from "./members";
import { makePictures } from "./pictures";

interface Counts {
  completed_task_count: number;
  task_count: number;
}
interface Issue {
  kind: string;
  point: [number, number] | null;
  round: number;
  state: string;
}

const box = (x: number) => ({ label: "robot", type: "bbox", coordinates: { x, y: 60, width: 60, height: 40 } });

test("what is rejected with a pin comes back in a second round, is compared with the first, and is accepted", async ({
  page: _page,
  api,
  request,
  browser,
}) => {
  const dataset = await makePictures(api, request, { names: ["front/crossing-0.png", "front/crossing-1.png"] });
  const project = await api.post<{ uid: string; name: string }>("/projects/", {
    name: "Crossings",
    task_type: "image-annotation",
    datasets: [dataset.uid],
    labels: [{ name: "robot", color: "#0891b2" }],
  });
  await api.post(`/projects/${project.uid}/approve/`);
  const list = async () =>
    (await api.get<{ results: { uid: string; state: string }[] }>(`/tasks/?project=${project.uid}`)).results;
  await expect.poll(async () => (await list()).length).toBe(2);
  const [task] = await list();
  const submit = (annotations: object[]) => api.post(`/tasks/${task?.uid}/results/`, { annotations });
  await submit([box(40), box(160)]);

  const guest = await signUp(request);
  const [organization] = (await api.get<{ results: { slug: string }[] }>("/organizations/")).results;
  await api.post(`/organizations/${organization?.slug}/invitations/`, { email: guest.email, role: "admin" });
  const page = await openAsInvited(browser, api, guest);
  await page.goto(`/projects/${project.uid}`);
  await page.getByRole("link", { name: "Review 1" }).click();
  const stage = page.getByRole("application", { name: "Picture, 2 shapes" });
  await expect(stage).toHaveAttribute("data-ready");
  await live(page);
  await lookAround(page);

  await page.keyboard.press("x");
  await page.getByRole("form", { name: /^Reject/ }).waitFor();
  await page.keyboard.press("3");
  await stage.click({ position: { x: 200, y: 300 } });
  await expect(page.getByRole("button", { name: "Issue 1: Missing" })).toBeVisible();
  await page.getByRole("textbox", { name: "1 Missing" }).fill("the cart at the gate");
  await lookOnce(page);
  await page.keyboard.press("Control+Enter");
  await expect(page.getByRole("heading", { name: "Nothing to review" })).toBeVisible();
  await expect(page.getByText("You rejected it")).toBeVisible();
  await lookOnce(page);
  const issues = async () => (await api.get<{ results: Issue[] }>(`/tasks/${task?.uid}/issues/`)).results;
  expect(await issues()).toMatchObject([
    { kind: "missing", round: 1, state: "open", point: [expect.any(Number), expect.any(Number)] },
  ]);
  expect((await list()).find(({ uid }) => uid === task?.uid)?.state).toBe("rework");

  await submit([box(40), box(190), box(250)]);
  await page.getByRole("button", { name: /round 2/ }).click();
  await expect(page.getByRole("application", { name: "Picture, 3 shapes" })).toBeVisible();
  await expect(page.getByRole("tab", { name: /Differences/ })).toHaveText("Differences2");
  await page.keyboard.press("f");
  await expect(page.getByText("Dashed: as it was before")).toBeVisible();
  await lookOnce(page);
  await page.getByRole("button", { name: "Issue 1: Missing" }).click();
  await page.getByRole("button", { name: "Resolve issue 1" }).click();
  await expect(page.getByRole("button", { name: "Reopen issue 1" })).toBeVisible();
  await lookOnce(page);
  await page.keyboard.press("a");
  // Leaving sends what could still be taken back.
  await page.getByRole("link", { name: project.name }).first().click();
  await expect(page.getByText("1 accepted", { exact: false }).first()).toBeVisible();
  expect(await issues()).toMatchObject([{ state: "resolved" }]);
  const [counts] = (await api.get<{ results: Counts[] }>(`/projects/${organization?.slug}/`)).results;
  expect(counts).toMatchObject({ task_count: 2, completed_task_count: 1 });
  expect((await list()).find(({ uid }) => uid === task?.uid)?.state).toBe("accepted");
  await page.context().close();
});
