import { s3Permissions, startS3Bucket, type S3BucketServer } from "@/server/testing/s3-bucket";
import { inDatabase } from "./data-loop";
import { checkAxe, expect, inEveryLook, live, lookOnce, test, unique, widths } from "./fixtures";
import { openAsMember } from "./members";
import { makePictures } from "./pictures";

let s3: S3BucketServer;
test.beforeAll(async () => {
  s3 = await startS3Bucket();
});
test.afterAll(() => s3.close());

test("a dataset is made, renamed and deleted, and its address is said while its name is typed", async ({ page }) => {
  await page.goto("/datasets");
  await live(page);
  await expect(page.getByRole("heading", { name: "No datasets yet" })).toBeVisible();
  await page.keyboard.press("n");
  const dialog = page.getByRole("dialog", { name: "New dataset" });
  await lookOnce(page);
  await dialog.getByRole("textbox", { name: "Name" }).fill("Yard at night");
  await expect(dialog.getByText("yard-at-night")).toBeVisible();
  await dialog.getByRole("radio", { name: /Point clouds/ }).click();
  await dialog.getByRole("button", { name: "Create dataset" }).click();
  await page.waitForURL(/\/datasets\/[^/]+\/yard-at-night$/);
  await expect(page.getByRole("heading", { name: "Yard at night" })).toBeVisible();
  await expect(page.getByRole("main").getByText("Point clouds").first()).toBeVisible();

  await page.getByRole("button", { name: "Actions for Yard at night" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Yard by night");
  await page.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByRole("heading", { name: "Yard by night", level: 1 })).toBeVisible();

  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.waitForURL(/\/datasets$/);
  await live(page);
  await page.getByRole("button", { name: "Actions for Yard by night" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const confirm = page.getByRole("dialog", { name: "Delete Yard by night?" });
  await expect(confirm.getByRole("button", { name: "Delete dataset" })).toBeDisabled();
  await confirm.getByRole("textbox").fill("Yard by night");
  await confirm.getByRole("button", { name: "Delete dataset" }).click();
  await expect(page.getByRole("heading", { name: "No datasets yet" })).toBeVisible();
});

test("the list shows pictures, states and sizes, follows what changes, and is narrowed by type", async ({
  api,
  request,
  page,
}) => {
  const dataset = await makePictures(api, request);
  await api.post("/datasets/", { name: "Clouds", data_type: "lidar" });
  const row = page.getByRole("row", { name: new RegExp(dataset.name) });
  await inEveryLook(page, async () => {
    await page.goto("/datasets");
    await live(page);
    await expect(row).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  await expect(row.getByRole("img", { name: "3 untouched" })).toBeVisible();
  await expect(row.getByText("0 %")).toBeVisible();
  await expect
    .poll(() =>
      row
        .locator("img")
        .evaluateAll((all) => all.every((each) => (each as HTMLImageElement).naturalWidth > 0) && all.length),
    )
    .toBe(3);

  await api.patch(`/datasets/${dataset.owner_name}/${dataset.slug}/`, { name: "Yard, renamed elsewhere" });
  await expect(page.getByRole("row", { name: /Yard, renamed elsewhere/ })).toBeVisible();

  await page.goto("/datasets?data_type=lidar");
  await live(page);
  await expect(page.getByRole("row", { name: /Clouds/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /Yard/ })).toHaveCount(0);
});

test("a dataset that a project annotates is not deleted, and the project is named", async ({
  api,
  request,
  page,
  faults,
}) => {
  faults.expect(/status of 400/);
  const dataset = await makePictures(api, request);
  await api.post("/projects/", {
    name: "Crossings",
    task_type: "image-annotation",
    datasets: [dataset.uid],
    labels: [{ name: "robot", color: "#0891b2" }],
  });
  await page.goto(`/datasets/${dataset.owner_name}/${dataset.slug}?tab=settings`);
  await live(page);
  await page.getByRole("button", { name: `Actions for ${dataset.name}` }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  const confirm = page.getByRole("dialog");
  await expect(confirm).toContainText("is used by Crossings");
  await confirm.getByRole("textbox").fill(dataset.name);
  await confirm.getByRole("button", { name: "Delete dataset" }).click();
  await expect(page.getByText(/Projects annotate this dataset: "Crossings"/)).toBeVisible();
});

test("pictures in a bucket without CORS are shown through Muster, and their cells say when it is not connected any more @full", async ({
  api,
  request,
  page,
  faults,
}) => {
  const secret = "a secret access key";
  s3.keys.set("AKIDPICTURES", { secret, permissions: [...s3Permissions] });
  const { uid } = await api.post<{ uid: string }>("/storage-configs/", {
    name: unique("bucket"),
    provider: "aws_s3",
    s3_bucket_name: s3.bucket,
    s3_bucket_region: s3.region,
    s3_bucket_prefix: "muster/",
    s3_endpoint_url: s3.url,
    s3_access_key_id: "AKIDPICTURES",
    s3_secret_access_key: secret,
  });
  const bucket = {
    uid,
    store: (url: string, bytes: Buffer) => {
      const [, , ...name] = decodeURIComponent(new URL(url).pathname).split("/");
      s3.objects.set(name.join("/"), bytes);
    },
  };
  const dataset = await makePictures(api, request, { bucket });
  expect([...s3.objects.keys()].some((name) => name.includes(dataset.uid))).toBe(true);
  await page.goto("/datasets");
  await live(page);
  const row = page.getByRole("row", { name: new RegExp(dataset.name) });
  await expect(row.locator("img")).toHaveCount(3);
  const at = `/datasets/${dataset.owner_name}/${dataset.slug}`;
  await page.goto(at);
  await live(page);
  await expect(page.getByRole("grid", { name: "Items" }).locator("img")).toHaveCount(3);
  const { results } = await api.get<{ results: { uid: string }[] }>(`${at}/items/`);
  await page.goto(`${at}/items/${results[0]?.uid}`);
  await expect(page.getByRole("img", { name: /pixels/ })).toBeVisible();

  // Pictures that the browser has are shown as long as it keeps them, so these are made where no page shows them.
  await page.goto("/docs");
  const unseen = await makePictures(api, request, { bucket });
  await api.delete(`/storage-configs/${uid}/`);
  await page.goto(`/datasets/${unseen.owner_name}/${unseen.slug}`);
  await live(page);
  faults.expect(/status of 410/);
  await expect(page.getByRole("gridcell").getByText("Its bucket is not connected any more")).toHaveCount(3);
});

test("health counts what is in a dataset, and each bar leads to its items @full", async ({ api, request, page }) => {
  const dataset = await makePictures(api, request);
  await inDatabase("update items set status = 'completed' where dataset_id = $1 and key like '%-0.png'", [dataset.uid]);
  await page.goto(`/datasets/${dataset.owner_name}/${dataset.slug}?tab=health`);
  await live(page);
  await expect(
    page.getByRole("list", { name: "Labels" }).getByRole("link", { name: /Without shapes 3/ }),
  ).toBeVisible();
  await lookOnce(page);
  await page.getByRole("list", { name: "Equal files" }).getByRole("link", { name: /3$/ }).click();
  await expect(page).toHaveURL(/filter_query_string=key/);
  await expect(page.getByRole("gridcell")).toHaveCount(3);
});

test("settings say who sees a dataset and who keeps seeing it, of a project alike @full", async ({
  api,
  request,
  page,
  browser,
  person,
}) => {
  const dataset = await makePictures(api, request);
  const at = `/datasets/${dataset.owner_name}/${dataset.slug}`;
  const member = await openAsMember(browser, request, api);
  await member.goto(at);
  await expect(member.getByRole("heading", { name: dataset.name })).toBeVisible();
  const { results: members } = await api.get<{ results: { username: string; role: string }[] }>(
    `/organizations/${dataset.owner_name}/members/`,
  );
  const guest = members.find(({ role }) => role === "member")?.username ?? "";
  const project = { name: unique("labels"), task_type: "image-annotation", datasets: [dataset.uid] };
  await api.post("/projects/", { ...project, labels: [{ name: "robot" }] });

  await page.goto(`${at}?tab=projects`);
  await live(page);
  await page.getByRole("button", { name: `Who sees ${project.name}` }).click();
  const dialog = page.getByRole("dialog", { name: `Who sees ${project.name}` });
  await dialog.getByRole("radio", { name: /Assigned members/ }).click();
  await expect(page.getByText("only for assigned members")).toBeVisible();
  await dialog.getByRole("combobox", { name: "Assign a member" }).fill(guest);
  await page.getByRole("option", { name: guest }).click();
  await expect(dialog.getByRole("list", { name: "Assigned members" })).toContainText(guest);
  await checkAxe(page);
  await page.keyboard.press("Escape");

  await page.goto(`${at}?tab=settings`);
  await live(page);
  // Before the setting is changed it says who would keep seeing the dataset.
  await expect(page.getByText("Nobody is assigned.")).toBeVisible();
  await expect(page.getByText(`Admins always see it: ${person.email.split("@")[0]}.`)).toBeVisible();
  const box = page.getByRole("combobox", { name: "Assign a member" });
  await box.fill(guest);
  await page.getByRole("option", { name: guest }).click();
  await expect(page.getByRole("list", { name: "Assigned members" })).toContainText(guest);
  await expect(box).toHaveValue("");
  await page.getByRole("radio", { name: /Assigned members/ }).click();
  await expect
    .poll(async () => (await api.get<{ access: string }>(`/datasets/${dataset.owner_name}/${dataset.slug}/`)).access)
    .toBe("assigned");
  await member.reload();
  await expect(member.getByRole("heading", { name: dataset.name })).toBeVisible();
  await lookOnce(page);
  await page.getByRole("button", { name: `Unassign ${guest}` }).click();
  await expect(page.getByText("Nobody is assigned.")).toBeVisible();
  await member.reload();
  await expect(member.getByRole("heading", { name: dataset.name })).toBeHidden();
  await member.context().close();
});
