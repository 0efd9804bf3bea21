import { v4 as uuidv4 } from "uuid";
import { beforeEach } from "vitest";
import { page, userEvent } from "vitest/browser";
import { show } from "@/components/testing/host";
import { answer } from "@/components/testing/network";
import { makeProject } from "@/components/testing/projects";
import { completeLabels } from "@/domain/projects/label-schema";
import type { ReviewedResult, ReviewedTask, StoredResult } from "../review/query";
import { ReviewPage } from "../review/review-page";

/** Results to review, and the page that shows them. */

export const uid = (n: number) => `018f0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
export const project = uid(1);
const labels = completeLabels([
  { name: "forklift", color: "#0891b2" },
  { name: "pallet", color: "#c2410c" },
]);

export const detail = makeProject({
  uid: project,
  labels,
  task_count: 60,
  completed_count: 44,
  accepted_count: 41,
  rejected_count: 3,
  skipped_count: 0,
});

export const row = (n: number, members: Partial<ReviewedResult> = {}): ReviewedResult => ({
  uid: uid(100 + n),
  task: uid(200 + n),
  name: `crossing-${n}.png`,
  item: uid(300 + n),
  media_type: "image/png",
  has_thumbnail: false,
  status: "submitted",
  submitted_by: "ben",
  is_own: false,
  round: 1,
  shape_count: 1,
  labels: ["forklift"],
  open_issues: 0,
  reason: "",
  decided_by: null,
  created_at: "2026-02-03T09:00:00.000Z",
  ...members,
});

export const box = (x: number, more: object = {}) => ({
  label: "forklift",
  type: "bbox",
  coordinates: { x, y: 10, width: 100, height: 50 },
  attributes: {},
  ...more,
});

export const result = (of: ReviewedResult, members: Partial<StoredResult> = {}): StoredResult => ({
  uid: of.uid,
  task: of.task,
  project,
  dataset_item: of.item,
  status: "submitted",
  annotations: [box(10)],
  reason: "",
  submitted_by: of.submitted_by,
  decided_by: null,
  decided_at: null,
  revises: null,
  superseded_by: null,
  created_at: of.created_at,
  updated_at: of.created_at,
  ...members,
});

export const task = (of: ReviewedResult, earlier: StoredResult[] = [result(of)]): ReviewedTask => ({
  task: {
    uid: of.task,
    type: "image-annotation",
    name: of.name,
    status: "completed",
    project,
    dataset_item: of.item,
    assignee: null,
    work_batch: uid(9),
    state: "submitted",
    skip_reason: null,
    skip_text: "",
    created_at: of.created_at,
    updated_at: of.created_at,
  },
  item: {
    uid: of.item,
    key: of.name,
    status: "completed",
    metadata: { width: 640, height: 480 },
    annotations_count: 1,
    created_at: of.created_at,
    data_url: "",
    thumbnail_url: "",
    sequence: null,
    view: "",
    frame: null,
    size_bytes: 1,
    added_by_uid: null,
  },
  project: { uid: project, name: detail.name, task_type: "image-annotation", status: "active", labels, guide: "" },
  earlier,
  draft: null,
  lease: null,
  place: { batch: 1, at: 1, of: 3 },
  next_hint: null,
});

export const queue = (rows: readonly ReviewedResult[]) =>
  answer("results.queue", { results: [...rows], next: null, previous: null });
export const three = [row(1), row(2), row(3)];

/** Another for each test, so that none finds the decisions of the one before. */
let organization = "";

/** What every test needs; call it once in its file. */
export const prepareReviews = () =>
  beforeEach(() => {
    organization = uuidv4();
    answer("projects.overviewOf", detail);
    answer("issues.list", { results: [], next: null, previous: null });
    answer("projects.people.list", {
      results: [{ user_uid: uid(7), username: "cleo", roles: ["reviewer"], has_access: true }],
      next: null,
      previous: null,
    });
    answer("tasks.editor", ({ uid: of }) => task(three.find((each) => each.task === of) ?? row(1)));
  });

/** `undoMs`: long, so that nothing is sent by itself. */
export const open = async (options: Parameters<typeof show>[2] = {}, { at = "", undoMs = 600_000 } = {}) => {
  await page.viewport(1440, 900);
  return show(
    <div className="flex h-full flex-col">
      <ReviewPage project={project} organization={organization} undoMs={undoMs} />
    </div>,
    `/projects/${project}/review${at}`,
    options,
  );
};

export const press = (keys: string) => userEvent.keyboard(keys);
/** The page goes into the background, as it does when it is left. */
export const hide = () => {
  Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
  Object.defineProperty(document, "visibilityState", { value: "visible", configurable: true });
};
