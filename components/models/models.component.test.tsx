import { beforeEach, expect, test } from "vitest";
import { page as viewport, userEvent } from "vitest/browser";
import { ModelList } from "@/components/models/model-list";
import { ModelPage } from "@/components/models/model-page";
import type { Model, ModelDetail, Run, Trial } from "@/components/models/query";
import { RunList } from "@/components/models/run-list";
import { RunPage } from "@/components/models/run-page";
import { show } from "@/components/testing/host";
import { expectGoodLooks } from "@/components/testing/looks";
import { answer, listInputs, refuse } from "@/components/testing/network";
import type { Outputs } from "@/components/trpc/client";

const uid = (at: number) => `018f0000-0000-7000-8000-${String(at).padStart(12, "0")}`;

const makeModel = (more: Partial<Model> = {}): Model => ({
  uid: uid(1),
  name: "Forklifts",
  description: "",
  model_type_name: "object-detection",
  is_public: false,
  providers: ["http"],
  active_count: 1,
  last_run_uid: uid(9),
  last_run_status: "completed",
  last_run_at: "2026-02-02T09:00:00.000Z",
  last_run_error: null,
  p50_ms: 140,
  failed_count: 12,
  ...more,
});

const makeDetail = (more: Partial<ModelDetail> = {}): ModelDetail => ({
  uid: uid(1),
  name: "Forklifts",
  description: "",
  model_type_name: "object-detection",
  model_type_description: "",
  is_public: false,
  created_at: "2026-02-01T09:00:00.000Z",
  updated_at: "2026-02-01T09:00:00.000Z",
  is_own: true,
  integrations: [
    {
      uid: uid(2),
      provider_name: "http",
      provider_config_type: "batch",
      provider_config_uid: uid(3),
      provider_config_name: "models.example.com",
      url: "https://models.example.com/predict",
      is_active: true,
      header_name: "Authorization",
      label_map: { forklift: "truck", shadow: "" },
      prompts: ["point", "box"],
      created_at: "2026-02-01T09:00:00.000Z",
      updated_at: "2026-02-01T09:00:00.000Z",
    },
  ],
  ...more,
});

const makeRun = (more: Partial<Run> = {}): Run => ({
  uid: uid(9),
  model_uid: uid(1),
  model_name: "Forklifts",
  integration_uid: uid(2),
  integration_name: "models.example.com",
  dataset_uid: uid(5),
  dataset_name: "Yard",
  dataset_owner: "acme",
  dataset_slug: "yard",
  chosen_count: null,
  status: "completed",
  total_count: 100,
  done_count: 98,
  failed_count: 2,
  clipped_count: 3,
  p50_ms: 140,
  error_message: null,
  started_by: "ada",
  is_by_rule: false,
  created_by_uid: "usr_00000000-0000-7000-8000-000000000001",
  created_at: "2026-02-02T09:00:00.000Z",
  completed_at: "2026-02-02T09:05:00.000Z",
  ...more,
});

const page = <Row,>(...results: Row[]) => ({ results, next: null, previous: null });
type Picture = Outputs["items"]["first"]["rows"][number];
const picture: Picture = {
  uid: uid(20),
  key: "hall/0001.jpg",
  status: "ready_for_annotation",
  media_type: "image/jpeg",
  tint: null,
  has_thumbnail: false,
  annotations_count: 0,
  label: null,
  label_color: null,
  width: 64,
  height: 48,
  extent: null,
};

beforeEach(() => {
  answer("runs.overview", page(makeRun()));
  answer("models.overview", page(makeModel(), makeModel({ uid: uid(4), name: "Standout", is_public: true })));
  answer("models.page", makeDetail());
});

test("the list says how each model did", async () => {
  const shown = await show(<ModelList />, "/models");
  const row = shown.getByRole("row", { name: /Forklifts/ });
  await expect.element(row).toHaveTextContent("Own server");
  await expect.element(row).toHaveTextContent("Done");
  await expect.element(row).toHaveTextContent("12");
  await expect.element(shown.getByRole("row", { name: /Standout/ })).toHaveTextContent("Public");
  await expectGoodLooks();
});

test("without models it says what one is, and members cannot connect any", async () => {
  answer("models.overview", page<Model>());
  const shown = await show(<ModelList />, "/models", { role: "member" });
  await expect.element(shown.getByText("No models yet")).toBeVisible();
  await expect.element(shown.getByRole("button", { name: "Connect a model" })).toHaveAttribute("aria-disabled", "true");
});

test("connecting checks the address, refuses at the field, and shows the secret once with a server", async () => {
  answer("models.checkUrl", { result: "accepted", message: "" });
  refuse("models.connect", {
    status: 400,
    detail: "Invalid input.",
    issues: [{ path: ["url"], message: "This address is not public." }],
  });
  const shown = await show(<ModelList />, "/models");
  await shown.getByRole("button", { name: "Connect a model" }).click();
  const dialog = shown.getByRole("dialog");
  await dialog.getByLabelText("Name", { exact: true }).fill("Pallets");
  await dialog.getByLabelText("Address").fill("https://models.example.com/v2");
  await expect.element(dialog.getByText(/Reachable address/)).toBeVisible();
  expect(listInputs("models.checkUrl").at(-1)).toEqual({ url: "https://models.example.com/v2" });
  await dialog.getByLabelText("Labels").fill("no map");
  await dialog.getByRole("button", { name: "Connect" }).click();
  await expect.element(dialog.getByText(/Line 1/)).toBeVisible();
  await dialog.getByLabelText("Labels").fill("pallet = box");
  await dialog.getByRole("group", { name: "Prompts" }).getByRole("checkbox", { name: "Boxes" }).click();
  await dialog.getByRole("group", { name: "Prompts" }).getByRole("checkbox", { name: "Points" }).click();
  await dialog.getByRole("button", { name: "Connect" }).click();
  await expect.element(dialog.getByText("This address is not public.")).toBeVisible();
  await expectGoodLooks();

  const { integrations, is_own: _, ...model } = makeDetail({ uid: uid(7), name: "Pallets" });
  answer("models.connect", { model, integration: { ...integrations[0]!, prompts: ["point"], secret: "whsec_AAAA" } });
  await dialog.getByRole("button", { name: "Connect" }).click();
  await expect.element(dialog.getByText("whsec_AAAA")).toBeVisible();
  await expect.element(dialog.getByText(/hmac.compare_digest/)).toBeInTheDocument();
  await expect.element(dialog.getByText(/def segment/)).toBeInTheDocument();
  expect(listInputs("models.connect").at(-1)).toMatchObject({
    name: "Pallets",
    url: "https://models.example.com/v2",
    label_map: { pallet: "box" },
    prompts: ["point", "box"],
  });
  await expectGoodLooks();
  await dialog.getByLabelText("I stored it").click();
  await dialog.getByRole("button", { name: "Done" }).click();
  await expect.poll(() => location.pathname).toBe(`/models/${uid(7)}`);
});

test("the page of a model pauses it, shows what it is set to, and rotates its secret", async () => {
  const shown = await show(<ModelPage uid={uid(1)} />, `/models/${uid(1)}`);
  await expect.element(shown.getByRole("row", { name: /Forklifts over Yard/ })).toBeVisible();
  expect(listInputs("runs.overview").at(-1)).toMatchObject({ model: uid(1) });
  await shown.getByRole("tab", { name: "About" }).click();
  await expect.element(shown.getByText("https://models.example.com/predict")).toBeVisible();
  await expect.element(shown.getByText("Authorization, sealed")).toBeVisible();
  await expect.element(shown.getByText("Points, boxes")).toBeVisible();
  answer("models.updateIntegration", makeDetail().integrations[0]!);
  answer("models.page", makeDetail({ integrations: [{ ...makeDetail().integrations[0]!, is_active: false }] }));
  await shown.getByRole("button", { name: "Actions for Forklifts", exact: true }).click();
  await shown.getByRole("menuitem", { name: "Pause" }).click();
  await expect.element(shown.getByText("Paused", { exact: true })).toBeVisible();
  expect(listInputs("models.updateIntegration")).toEqual([{ integration_uid: uid(2), change: { is_active: false } }]);
  await expect.element(shown.getByRole("button", { name: "Run" })).toHaveAttribute("aria-disabled", "true");
  answer("models.rotateSecret", { ...makeDetail().integrations[0]!, secret: "whsec_BBBB" });
  await shown.getByRole("button", { name: "Actions for Forklifts", exact: true }).click();
  await shown.getByRole("menuitem", { name: "Rotate secret" }).click();
  await shown.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
  await expect.element(shown.getByText("whsec_BBBB")).toBeVisible();
  await expectGoodLooks();
});

test("a public model is changed by nobody but staff", async () => {
  answer("models.page", makeDetail({ is_public: true, is_own: false }));
  const shown = await show(<ModelPage uid={uid(1)} />, `/models/${uid(1)}`);
  await shown.getByRole("button", { name: "Actions for Forklifts", exact: true }).click();
  await expect.element(shown.getByRole("menuitem", { name: /^Delete/ })).toHaveAttribute("aria-disabled", "true");
});

const trial: Trial = {
  request_headers: { "content-type": "application/json", Authorization: "••••••••" },
  request_body: { item: { key: "hall/0001.jpg" } },
  status: 200,
  answer: '{"predictions":[]}',
  duration_ms: 140,
  error: null,
  predictions: [
    { label: "truck", type: "bbox", coordinates: { x: 1, y: 2, width: 30, height: 20 }, attributes: { score: 0.92 } },
  ],
  left_out: { shadow: 2 },
  clipped_count: 0,
};

test("a model is tried on an item: its shapes with their scores, or the field that is wrong", async () => {
  answer("datasets.overview", page());
  const dataset = { uid: uid(5), name: "Yard" } as Outputs["datasets"]["overview"]["results"][number];
  answer("datasets.overview", page(dataset));
  answer("items.first", { rows: [picture, { ...picture, uid: uid(21), key: "hall/0002.jpg" }] });
  answer("models.tryOn", trial);
  const shown = await show(<ModelPage uid={uid(1)} />, `/models/${uid(1)}`);
  await shown.getByRole("tab", { name: "Try on an item" }).click();
  await shown.getByRole("combobox", { name: "Dataset" }).click();
  await shown.getByRole("option", { name: "Yard" }).click();
  await shown.getByRole("radio", { name: "hall/0002.jpg" }).click();
  await shown.getByRole("button", { name: "Try on 0002.jpg" }).click();
  await expect.element(shown.getByText(/^1 prediction in 140 ms/)).toHaveTextContent("left out: shadow (2)");
  await expect.element(shown.getByRole("list", { name: "Predictions" })).toHaveTextContent("0.92");
  expect(listInputs("models.tryOn")).toEqual([{ integration_uid: uid(2), dataset_item_uid: uid(21) }]);
  await expectGoodLooks();
  const wrong = "predictions.3.coordinates.width: A valid number is required.";
  answer("models.tryOn", { ...trial, error: wrong, predictions: [], left_out: {} });
  await shown.getByRole("button", { name: "Try on 0002.jpg" }).click();
  await expect.element(shown.getByText(wrong)).toBeVisible();
});

test("the list of runs says how far each is, and stops what is under way", async () => {
  const running = makeRun({ uid: uid(8), status: "running", done_count: 40, failed_count: 0, completed_at: null });
  answer("runs.overview", ({ status }) => (status === undefined ? page(running, makeRun()) : page(makeRun())));
  const shown = await show(<RunList />, "/models/runs");
  const row = shown.getByRole("row", { name: /Running/ });
  await expect.element(row).toHaveTextContent("40 of 100");
  answer("runs.stop", {} as Outputs["runs"]["stop"]);
  await row.getByRole("button", { name: /^Actions for/ }).click();
  await shown.getByRole("menuitem", { name: "Stop" }).click();
  await expect.poll(() => listInputs("runs.stop")).toEqual([{ uid: uid(8) }]);
  await expectGoodLooks();
});

test("the page of a run shows why items failed, tries them again, and narrows its items by label and score", async () => {
  answer("runs.overviewOf", makeRun());
  answer("runs.reasons", [{ error: "The provider answered 500.", count: 2 }]);
  answer("runs.failures", page({ uid: uid(30), key: "hall/0030.jpg", error: "The provider answered 500." }));
  answer("runs.histogram", {
    labels: [
      { label: "truck", count: 60 },
      { label: "pallet", count: 9 },
    ],
    scores: [0, 0, 0, 0, 5, 10, 20, 30, 20, 5],
    empty: 8,
  });
  const item = {
    uid: uid(20),
    key: "hall/0001.jpg",
    status: "ready_for_annotation",
    media_type: "image/jpeg",
    size: { width: 64, height: 48 },
    tint: null,
    has_thumbnail: false,
    labels: ["truck"],
    max_score: 0.92,
    count: 1,
  } as const;
  answer("runs.predictions", page({ ...item, labels: ["truck"] }));
  answer("items.predicted", []);
  const shown = await show(<RunPage uid={uid(9)} />, `/models/runs/${uid(9)}`);
  await expect.element(shown.getByRole("heading", { name: "Forklifts over Yard" })).toBeVisible();
  await shown.getByRole("button", { name: /The provider answered 500/ }).click();
  await expect
    .element(shown.getByRole("link", { name: "hall/0030.jpg" }))
    .toHaveAttribute("href", `/datasets/acme/yard/items/${uid(30)}`);
  const link = shown.getByRole("link", { name: "hall/0001.jpg" });
  await expect.element(link).toHaveTextContent("truck0.92");
  await shown.getByRole("button", { name: /^pallet/ }).click();
  await expect.poll(() => listInputs("runs.predictions").at(-1)).toMatchObject({ label: "pallet" });
  shown.getByRole("slider", { name: "Least score" }).element().focus();
  await userEvent.keyboard("{ArrowRight}");
  await expect.poll(() => listInputs("runs.predictions").at(-1)).toMatchObject({ min_score: 0.05 });
  await expectGoodLooks();
  const project = { uid: uid(40), name: "Yard crossings" } as Outputs["datasets"]["projects"]["results"][number];
  answer("datasets.projects", page(project));
  answer("projects.preLabel", { changed: 12 });
  await viewport.viewport(1440, 900);
  await shown.getByRole("button", { name: "Use as pre-labels" }).click();
  const dialog = shown.getByRole("dialog");
  await expect.element(dialog.getByRole("combobox", { name: "Project" })).toHaveTextContent("Yard crossings");
  await dialog.getByLabelText(/^Labels/).fill("truck = forklift");
  await expectGoodLooks();
  await viewport.viewport(1440, 900);
  await dialog.getByRole("button", { name: "Offer" }).click();
  await expect.element(shown.getByText("Predictions are offered in up to 12 tasks")).toBeVisible();
  expect(listInputs("projects.preLabel")).toEqual([
    { uid: uid(40), run: uid(9), min_score: 0.3, label_map: { truck: "forklift" }, undo: false },
  ]);
  answer("runs.retry", {} as Outputs["runs"]["retry"]);
  await shown.getByRole("button", { name: "Retry failed" }).click();
  await expect.poll(() => listInputs("runs.retry")).toEqual([{ uid: uid(9) }]);
});

test("a member may not stop the run of somebody else", async () => {
  answer("runs.overviewOf", makeRun({ status: "running", completed_at: null, done_count: 0, failed_count: 0 }));
  const shown = await show(<RunPage uid={uid(9)} />, `/models/runs/${uid(9)}`, {
    role: "member",
    userUid: "usr_00000000-0000-7000-8000-000000000002",
  });
  await expect.element(shown.getByRole("button", { name: "Stop" })).toHaveAttribute("aria-disabled", "true");
});
