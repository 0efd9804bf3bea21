import { z } from "zod";
import { visibilities } from "@/domain/datasets/schema";
import { accesses } from "@/domain/organizations/assignment";
import { Label } from "@/domain/projects/label-schema";
import { projectRoles, projectStatuses, QualityTarget, reviewModes, taskTypes } from "@/domain/projects/schema";

export const ProjectResource = z.object({
  uid: z.string(),
  name: z.string(),
  task_type: z.enum(taskTypes),
  status: z.enum(projectStatuses),
  is_active: z.boolean(),
  visibility: z.enum(visibilities),
  /** Whether it was imported from elsewhere. */
  is_imported: z.boolean(),
  owner_name: z.string(),
  short_description: z.string(),
  industry_icon: z.string(),
  /** Additive from here on. */
  /** Who sees it: every member, or only assigned members and admins. */
  access: z.enum(accesses),
  /** Those that the caller sees, also those of its slices. */
  datasets: z.array(z.string()),
  slices: z.array(z.string()).describe("Those whose dataset the caller sees and that still exist."),
  labels: z.array(Label),
  quality_target: QualityTarget.nullable(),
  annotators_open: z.boolean(),
  review: z.enum(reviewModes),
  review_share: z.int().min(1).max(100),
  task_count: z.int(),
  completed_task_count: z.int(),
  accepted_count: z.int(),
  rejected_count: z.int(),
  /** Additive: results that a reviewer corrected, which are not rejected ones. */
  superseded_count: z.int(),
  /** Tasks that nobody labels; they count as completed. */
  skipped_count: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type ProjectResource = z.output<typeof ProjectResource>;

/** A member who is an annotator or a reviewer of a project. */
export const ProjectPersonResource = z.object({
  user_uid: z.string(),
  username: z.string(),
  roles: z.array(z.enum(projectRoles)),
  /** Whether they see the project; false for somebody who was unassigned since. */
  has_access: z.boolean(),
});
export type ProjectPersonResource = z.output<typeof ProjectPersonResource>;
