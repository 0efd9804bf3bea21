import { expect, vi } from "vitest";
import { cleanup } from "vitest-browser-react";
import { userEvent } from "vitest/browser";
import type { ProjectDetail } from "@/components/projects/query";
import { show } from "@/components/testing/host";
import { answer, listInputs } from "@/components/testing/network";
import { sample } from "@/components/testing/sample";
import type { Outputs } from "@/components/trpc/client";
import type { DraftShape } from "@/domain/annotations/draft-schema";
import { completeLabels } from "@/domain/projects/label-schema";
import { TaskForEditor as TaskResource } from "@/server/features/tasks/labelling-resource";
import { ResultResource } from "@/server/features/tasks/resource";
import type { TaskForEditor } from "../task/query";
import { TaskPage } from "../task/task-page";

/** The page of a task for its tests. */

export const uid = "018f0000-0000-7000-8000-000000000001";
export const second = "018f0000-0000-7000-8000-000000000002";
export const otherProject = "018f0000-0000-7000-8000-000000000003";
export const token = "a".repeat(64);
export const labels = completeLabels([
  { name: "forklift", color: "#0891b2" },
  { name: "pallet", color: "#c2410c" },
]);

export function makeTask(members: Partial<TaskForEditor> = {}): TaskForEditor {
  const task = sample(TaskResource, {
    lease: null,
    draft: null,
    earlier: [],
    place: { batch: 1, at: 14, of: 100 },
    next_hint: null,
  });
  return {
    ...task,
    task: { ...task.task, uid, state: "todo", status: "pending", assignee: null, skip_reason: null, skip_text: "" },
    item: { ...task.item, uid, key: "front/000142.png", metadata: { width: 1_000, height: 800 }, thumbnail_url: "" },
    project: { uid, name: "Yard crossings", task_type: "image-annotation", status: "active", labels, guide: "" },
    ...members,
  };
}

export const draft = (version: number, ...shapes: DraftShape[]) => ({
  version,
  by: "ben",
  shapes,
  updated_at: "2026-02-02T09:00:00.000Z",
});

export const result = (members: Partial<ReturnType<typeof makeResult>>) => ({ ...makeResult(), ...members });
export const makeResult = () => sample(ResultResource, { task: uid, reason: "", decided_by: null });

export const makeProject = (members: Partial<ProjectDetail> = {}) => ({
  uid,
  name: "Yard crossings",
  task_type: "image-annotation" as const,
  status: "active" as const,
  access: "organization" as const,
  visibility: "private" as const,
  short_description: "",
  quality_target: null,
  annotators_open: true,
  review: "all" as const,
  review_share: 100,
  task_count: 100,
  completed_count: 13,
  accepted_count: 0,
  rejected_count: 0,
  skipped_count: 0,
  member_count: 0,
  created_by_uid: null,
  created_by: "ana",
  created_at: "2026-02-02T09:00:00.000Z",
  updated_at: "2026-02-03T09:00:00.000Z",
  demo: false,
  guide: "",
  labels,
  datasets: [],
  slices: [],
  steps: [],
  ...members,
});

type Viewed = Outputs["items"]["ofTask"];

/** The item of a task, of a recording's camera unless another source is given. */
export const makeItem = (members: Partial<Viewed> = {}): Viewed => ({
  uid,
  key: "front/000142.png",
  status: "in_progress",
  media: "image",
  media_type: "image/png",
  metadata: { width: 1_000, height: 800 },
  size_bytes: 1_000,
  annotations_count: 0,
  tint: null,
  created_at: "2026-02-02T09:00:00.000Z",
  has_thumbnail: false,
  sequence_uid: null,
  sequence_key: null,
  view: "",
  frame: null,
  added_by_uid: null,
  added_by: null,
  dataset: { uid, name: "Yard", slug: "yard", owner_name: "acme", data_type: "image" },
  source: {
    links: [{ kind: "recording", uid: "rec_1", name: "Yard at noon", exists: true }],
    topic: "/front",
    t_ns: "1770000002000000000",
  },
  tasks: [],
  results: [],
  ...members,
});

/** A server that holds the draft of one task. */
export function serve(found: TaskForEditor) {
  let version = found.draft?.version ?? 0;
  answer("tasks.editor", found);
  answer("tasks.neighbours", { before: null, after: null, recorded: null, refusal: null });
  answer("issues.list", { results: [], next: null, previous: null });
  answer("models.pipelines", []);
  answer("projects.people.list", { results: [], next: null, previous: null });
  answer("projects.overviewOf", makeProject());
  answer("tasks.open", () => ({ ...found.task, lease: { token, until: "2026-02-02T09:30:00.000Z" } }));
  answer("tasks.renew", { until: "2026-02-02T09:30:00.000Z" });
  answer("tasks.release", found.task);
  answer("tasks.saveDraft", ({ change: { n } }) => ({ version: ++version, n }));
}

/** What was sent to the server of the draft. */
export const listSaved = () => listInputs("tasks.saveDraft").flatMap(({ change }) => change.ops ?? []);

export async function open(found = makeTask(), person: Parameters<typeof show>[2] = {}) {
  serve(found);
  return reopen(person);
}

export async function reopen(person: Parameters<typeof show>[2] = {}) {
  const screen = await show(
    <div className="flex h-full flex-col">
      <TaskPage uid={uid} organization="org" />
    </div>,
    `/tasks/${uid}`,
    person,
  );
  const stage = screen.getByRole("application", { name: /^Picture/ });
  return { screen, stage };
}
export type Opened = Awaited<ReturnType<typeof open>>;

export const isHeld = ({ screen }: Opened) => expect.element(screen.getByText("Saved", { exact: true })).toBeVisible();

/** Draws a box by keys. */
export async function drawBox({ stage }: Opened) {
  await expect.element(stage).toHaveAttribute("data-ready");
  stage.element().focus();
  await userEvent.keyboard("r{ArrowRight} {Shift>}{ArrowDown}{ArrowRight}{/Shift} ");
}

/** Ends what a test left in the browser. */
export async function endTask(): Promise<void> {
  await cleanup();
  // The page gives its task back.
  await expect.poll(async () => (await navigator.locks.query()).held).toEqual([]);
  vi.restoreAllMocks();
  const databases = await indexedDB.databases();
  for (const { name } of databases) if (name !== undefined) indexedDB.deleteDatabase(name);
}
