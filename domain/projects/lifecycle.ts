import type { ProjectStatus } from "@/domain/projects/schema";

export const projectSteps = ["approve", "pause", "resume", "cancel", "archive"] as const;
export type ProjectStep = (typeof projectSteps)[number];

/** The statuses that each step starts from, and the one it leads to. */
const transitions: Readonly<Record<ProjectStep, { from: readonly ProjectStatus[]; to: ProjectStatus }>> = {
  approve: { from: ["pending-approval"], to: "active" },
  pause: { from: ["active"], to: "paused" },
  resume: { from: ["paused"], to: "active" },
  cancel: { from: ["pending-approval", "active", "paused"], to: "canceled" },
  archive: { from: ["completed", "canceled"], to: "archived" },
};

/** The status that a step leads to; null when it does not start from this one. */
export const statusAfter = (step: ProjectStep, status: ProjectStatus): ProjectStatus | null =>
  transitions[step].from.includes(status) ? transitions[step].to : null;

/** The steps that start from a status; the first is the one that most projects take next. */
export const stepsFrom = (status: ProjectStatus): ProjectStep[] =>
  projectSteps.filter((step) => statusAfter(step, status) !== null);
