import { z } from "zod";
import { visibilities } from "@/domain/datasets/schema";
import { required } from "@/domain/field-messages";
import { choice, choices, list, longPage, nonBlank, ordered, text, uid } from "@/domain/fields";
import { Access } from "@/domain/organizations/assignment";
import { LabelInput } from "@/domain/projects/label-schema";

export const taskTypes = [
  "image-annotation",
  "video-annotation",
  "point-cloud-annotation",
  "point-cloud-objects",
] as const;

export const projectStatuses = ["pending-approval", "active", "paused", "canceled", "archived", "completed"] as const;
export type ProjectStatus = (typeof projectStatuses)[number];

const qualityMetrics = ["acceptance_rate"] as const;

/** The labels of a project as requests give them, each name and key once. */
export const ProjectLabels = list(LabelInput, 500).superRefine((labels, issues) => {
  if (new Set(labels.map(({ name }) => name)).size !== labels.length)
    issues.addIssue({ code: "custom", message: "Every label may be named once only." });
  const keys = labels.map(({ key, retired }) => (retired ? undefined : key));
  for (const [at, key] of keys.entries()) {
    if (key !== undefined && keys.indexOf(key) !== at)
      issues.addIssue({ code: "custom", path: [at, "key"], message: "Another label has this key." });
  }
});

/** A decision that takes the metric below `threshold` (0 to 1) emits a `quality.alert`; not while it stays below. */
export const QualityTarget = z.object({
  metric: choice(qualityMetrics).default("acceptance_rate"),
  threshold: z.number().min(0).max(1),
});
export type QualityTarget = z.output<typeof QualityTarget>;

export const projectRoles = ["annotator", "reviewer"] as const;
export type ProjectRole = (typeof projectRoles)[number];

/**
 * Which results reviewers decide: all, a share of each batch, after which the rest is accepted or looked at too, or none,
 * which are accepted when they are submitted.
 */
export const reviewModes = ["all", "share", "none"] as const;

const fields = {
  name: nonBlank(100),
  visibility: choice(visibilities),
  short_description: text(1_000),
  datasets: list(uid(), 100, 1).describe("Every item of them becomes a task."),
  slices: list(uid(), 100, 1).describe("So does every item of these, also later ones."),
  guide: text(65_536).describe("Markdown for who labels."),
  annotators_open: z.boolean().describe("Whether every member who sees it may label, or only its annotators."),
  review: choice(reviewModes).describe("Which results reviewers decide."),
  review_share: z.int().min(1).max(100).describe("With `review` `share`: of a hundred results."),
};

export const CreateProject = z
  .object({
    name: fields.name,
    task_type: choice(taskTypes),
    datasets: fields.datasets.optional(),
    /** Additive: beside datasets, or without. */
    slices: fields.slices.optional(),
    labels: ProjectLabels.default([]),
    visibility: fields.visibility.default("private"),
    /** Additive: who sees it in the organization. */
    access: Access.default("organization"),
    short_description: fields.short_description.default(""),
    guide: fields.guide.default(""),
    quality_target: QualityTarget.nullable().optional(),
    annotators_open: fields.annotators_open.default(true),
    review: fields.review.default("all"),
    review_share: fields.review_share.default(100),
  })
  .superRefine(({ datasets, slices }, issues) => {
    if (datasets === undefined && slices === undefined)
      issues.addIssue({ code: "custom", path: ["datasets"], message: required });
  })
  .meta({
    example: {
      name: "Crossings",
      task_type: "image-annotation",
      datasets: ["0199c0de-7a11-7000-8000-000000000001"],
      labels: [{ name: "pallet", color: "#0891b2" }],
    },
  });
export type CreateProject = z.output<typeof CreateProject>;

export const UpdateProject = z.object({
  name: fields.name.optional(),
  labels: ProjectLabels.optional(),
  visibility: fields.visibility.optional(),
  access: Access.optional(),
  short_description: fields.short_description.optional(),
  guide: fields.guide.optional(),
  quality_target: QualityTarget.nullable().optional(),
  annotators_open: fields.annotators_open.optional(),
  review: fields.review.optional(),
  review_share: fields.review_share.optional(),
});
export type UpdateProject = z.output<typeof UpdateProject>;

/** A copy of a project without its tasks; a name, and datasets or slices or both, replace those of the original. */
export const CloneProject = z.object({
  project: uid(),
  name: fields.name.optional(),
  datasets: fields.datasets.optional(),
  slices: fields.slices.optional(),
});
export type CloneProject = z.output<typeof CloneProject>;

export const ProjectFilters = z.object({
  /** Part of the name, case-insensitive. */
  name: text(100).optional(),
  ordering: ordered(["created_at", "name"]),
  /** Additive filter. */
  status: choices(projectStatuses).optional(),
  ...longPage(),
});
export type ProjectFilters = z.output<typeof ProjectFilters>;

export const ProjectOwner = z.object({ owner: z.string() });
export const ProjectPath = z.object({ owner: z.string(), uid: uid() });
export const ProjectMemberPath = ProjectPath.extend({ user_uid: uid() });
/** What a member does in a project. */
export const SetProjectPerson = z.object({
  user: nonBlank(255).describe("The uid or username of a member."),
  roles: list(choice(projectRoles), 2, 1).describe("What they do in the project; replaces what they did before."),
});
export type SetProjectPerson = z.output<typeof SetProjectPerson>;

export const ProjectMemberFilters = z.object(longPage());
export const ProjectUid = z.object({ uid: uid() });
export const ProjectMemberUid = ProjectUid.extend({ user_uid: uid() });
