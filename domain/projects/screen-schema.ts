import { z } from "zod";
import { choice, choices, distinct, longPage, ordered, queryBoolean, text, uid } from "@/domain/fields";
import { projectSteps } from "@/domain/projects/lifecycle";
import { projectStatuses } from "@/domain/projects/schema";

/** The list of projects on its screen. */
export const ProjectListFilters = z.object({
  status: choices(projectStatuses).optional(),
  search: text(255).optional(),
  demo: queryBoolean().optional(),
  ordering: ordered(["created_at", "name"]),
  ...longPage(),
});
export type ProjectListFilters = z.output<typeof ProjectListFilters>;

/** What hangs on one project, page by page. */
export const OfProject = z.object({ project: uid(), ...longPage() });
export type OfProject = z.output<typeof OfProject>;

export const StepOfProject = z.object({ uid: uid(), step: choice(projectSteps) });

/** What a new project may be made of: the datasets that are chosen, and others by name. */
export const ProjectSources = z.object({ search: text(255).optional(), chosen: distinct(uid(), 100) });
export type ProjectSources = z.output<typeof ProjectSources>;

/** Projects to label in, by a part of their name. */
export const LabelTargetFilters = z.object({ search: text(255).default("") });
export type LabelTargetFilters = z.output<typeof LabelTargetFilters>;
