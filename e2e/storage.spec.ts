import { s3Permissions, startS3Bucket, type S3BucketServer } from "@/server/testing/s3-bucket";
import { expect, inEveryLook, live, lookAround, lookAtTabs, test, type Api, unique, widths } from "./fixtures";

let s3: S3BucketServer;
test.beforeAll(async () => {
  s3 = await startS3Bucket();
});
test.afterAll(() => s3.close());

const secret = "a secret access key";

/** Connects a bucket by the API; `key` is one that may do less. */
async function connect(api: Api, name: string, key?: string): Promise<string> {
  const { uid } = await api.post<{ uid: string }>("/storage-configs/", {
    name,
    provider: "aws_s3",
    s3_bucket_name: s3.bucket,
    s3_bucket_region: s3.region,
    s3_bucket_prefix: "muster/",
    s3_endpoint_url: s3.url,
    s3_access_key_id: key ?? "AKIDTEST",
    s3_secret_access_key: secret,
  });
  return uid;
}

const readOnlyKey = (): string => {
  const id = unique("AKID").toUpperCase();
  s3.keys.set(id, { secret, permissions: ["s3:ListBucket", "s3:GetObject"] });
  return id;
};

test("a bucket is connected in three steps: the region, then each missing permission is named, then all works", async ({
  page,
}) => {
  await page.goto("/storage");
  await live(page);
  await expect(page.getByRole("heading", { name: "Muster keeps your files itself" })).toBeVisible();
  await page.getByRole("link", { name: "Connect a bucket" }).click();
  await expect(page.getByRole("radio", { name: "S3-compatible" })).toBeVisible();
  await lookAround(page);
  await page.getByRole("radio", { name: "S3-compatible" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByText("This field may not be blank.")).toBeVisible();
  await page.getByRole("textbox", { name: "Name" }).fill("Yard");
  await page.keyboard.press("Enter");

  // The policy is filled in as one types.
  const policy = page.getByRole("tabpanel", { name: "IAM policy" });
  await expect(policy).toContainText("arn:aws:s3:::BUCKET/*");
  await page.getByRole("textbox", { name: "Endpoint" }).fill(s3.url);
  await page.getByRole("textbox", { name: "Bucket" }).fill(s3.bucket);
  await page.getByRole("textbox", { name: "Region" }).fill("us-east-9");
  await page.getByRole("textbox", { name: /Prefix/ }).fill("muster/");
  await expect(policy).toContainText(`arn:aws:s3:::${s3.bucket}/muster/*`);
  await page.getByRole("button", { name: "Continue" }).click();

  await page.getByRole("textbox", { name: "Access key ID" }).fill(readOnlyKey());
  await page.getByLabel("Secret access key").fill(secret);
  const steps = page.getByRole("list", { name: "Steps of the test" });
  await page.getByRole("button", { name: "Test now" }).click();
  await expect(steps.getByText("The bucket is in the region eu-test-1.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save" })).toBeDisabled();
  await steps.getByRole("button", { name: "Change region" }).click();
  await expect(page.getByText("The bucket is in the region eu-test-1.")).toBeVisible();
  await page.getByRole("textbox", { name: "Region" }).fill(s3.region);
  await page.getByRole("button", { name: "Continue" }).click();

  await page.getByRole("button", { name: "Test now" }).click();
  for (const [label, permission] of [
    ["Write", "s3:PutObject"],
    ["Delete", "s3:DeleteObject"],
  ] as const)
    await expect(steps.getByRole("listitem").filter({ hasText: `${label}: failed` })).toContainText(
      `Allow ${permission}.`,
    );
  await expect(steps.getByText("List: works")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save anyway" })).toBeVisible();
  await page.getByRole("textbox", { name: "Access key ID" }).fill("AKIDTEST");
  await page.getByRole("button", { name: "Test now" }).click();
  await expect(steps.getByText(/: works$/)).toHaveCount(6);
  await page.getByRole("button", { name: "Save", exact: true }).click();

  await expect(page).toHaveURL(/\/storage\/[0-9a-f-]{36}$/);
  await expect(page.getByRole("heading", { name: "Yard" })).toBeVisible();
  await expect(page.getByText(/^Works/)).toBeVisible();
  expect([...s3.objects.keys()].filter((name) => name.startsWith("muster/muster-test"))).toEqual([]);
});

test("credentials are replaced only after they passed the test @full", async ({ api, page, faults }) => {
  const uid = await connect(api, "Fleet");
  await page.goto(`/storage/${uid}`);
  await live(page);
  await page.getByRole("button", { name: "Replace credentials" }).click();
  const dialog = page.getByRole("dialog", { name: "Replace the credentials of Fleet" });
  await dialog.getByRole("textbox", { name: "Access key ID" }).fill("AKIDNONE");
  await dialog.getByLabel("Secret access key").fill("wrong");
  // The server refuses what did not pass.
  faults.expect(/storage\.update/);
  await dialog.getByRole("button", { name: "Test and replace" }).click();
  await expect(dialog.getByText("This access key does not exist.")).toBeVisible();
  await expect(dialog.getByText("The old credentials are still in use.")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.press("t");
  await expect(page.getByText("Fleet works")).toBeVisible();

  s3.keys.set("AKIDNEXT", { secret: "another secret", permissions: s3Permissions });
  await page.getByRole("button", { name: "Replace credentials" }).click();
  await dialog.getByRole("textbox", { name: "Access key ID" }).fill("AKIDNEXT");
  await dialog.getByLabel("Secret access key").fill("another secret");
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await page.getByRole("tab", { name: "Tests" }).click();
  await expect(page.getByRole("row", { name: /Works.*New credentials/ })).toBeVisible();
});

test("a bucket that fails is shown with the reason while datasets are in it, and disconnecting lists them @full", async ({
  api,
  page,
}) => {
  const uid = await connect(api, "Warehouse", readOnlyKey());
  const dataset = await api.post<{ name: string }>("/datasets/", { name: "Crossings", storage_config_uid: uid });
  const banner = page.getByRole("list", { name: "Failing buckets" });
  await inEveryLook(page, async () => {
    await page.goto("/storage");
    await live(page);
    await expect(banner).toBeVisible();
  });
  await page.setViewportSize(widths.desk);
  await expect(banner).toContainText("Warehouse fails its test: write. This access key may not write objects.");
  await expect(banner).toContainText("1 dataset is kept in it");

  await page.getByRole("row", { name: /Warehouse/ }).click();
  const drawer = page.getByRole("dialog", { name: "Warehouse" });
  await expect(drawer.getByText("Allow s3:DeleteObject.")).toBeVisible();
  await drawer.getByRole("link", { name: "Open" }).click();
  await expect(page.getByRole("cell", { name: dataset.name })).toBeVisible();
  await inEveryLook(page, async () => {
    await page.goto(`/storage/${uid}`);
    await live(page);
    await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  });
  await page.setViewportSize(widths.desk);
  await lookAtTabs(page, ["Tests", "Set-up"]);
  await page.getByRole("button", { name: "Actions for Warehouse" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Hall 2");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Hall 2" })).toBeVisible();

  await page.getByRole("button", { name: "Actions for Hall 2" }).click();
  await page.getByRole("menuitem", { name: "Disconnect" }).click();
  const asking = page.getByRole("dialog", { name: "Disconnect Hall 2?" });
  await expect(asking.getByText("0 items of Crossings")).toBeVisible();
  await asking.getByRole("textbox").fill("Hall 2");
  // The page hears of the change before its answer, and must not ask for the bucket once more: a 404 would be a fault.
  await page.route("**/api/trpc/storage.delete*", async (route) => {
    const response = await route.fetch();
    // oxlint-disable-next-line no-restricted-properties -- a request that must not come has no event
    await page.waitForTimeout(1_500);
    await route.fulfill({ response });
  });
  await asking.getByRole("button", { name: "Disconnect" }).click();
  await expect(page).toHaveURL(/\/storage$/);
  await expect(page.getByRole("heading", { name: "Muster keeps your files itself" })).toBeVisible();
});

test("the list is filtered, opened and tested by keyboard alone, and changes arrive by themselves @full", async ({
  api,
  page,
}) => {
  await connect(api, "Alpha");
  await connect(api, "Beta", readOnlyKey());
  await page.goto("/storage");
  await live(page);
  await expect(page.getByRole("row")).toHaveCount(3);
  await connect(api, "Gamma");
  await expect(page.getByRole("row", { name: /Gamma/ })).toBeVisible();
  await page.goto("/storage?state=failing");
  await live(page);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.goto("/storage?search=alph");
  await live(page);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Alpha" })).toBeVisible();
  await page.keyboard.press("g");
  await page.keyboard.press("y");
  await expect(page).toHaveURL(/\/storage$/);
});
