import { Archive, Check, CircleSlash, Pause, Play, type LucideIcon } from "lucide-react";
import type { ShapeName } from "@/components/kit/shape";
import type { Tone } from "@/components/product/status";
import type { ProjectStep } from "@/domain/projects/lifecycle";
import type { ProjectStatus, taskTypes } from "@/domain/projects/schema";

export const taskTypeLabels: Readonly<Record<(typeof taskTypes)[number], string>> = {
  "image-annotation": "Pictures",
  "video-annotation": "Videos",
  "point-cloud-annotation": "Point clouds",
  "point-cloud-objects": "Objects in point clouds",
};

interface Look {
  label: string;
  tone: Tone;
  shape: ShapeName;
}

export const projectLooks: Readonly<Record<ProjectStatus, Look>> = {
  "pending-approval": { label: "Needs approval", tone: "warning", shape: "diamond" },
  active: { label: "Active", tone: "online", shape: "disc" },
  paused: { label: "Paused", tone: "maintenance", shape: "half" },
  completed: { label: "Done", tone: "online", shape: "check" },
  canceled: { label: "Canceled", tone: "neutral", shape: "cross" },
  archived: { label: "Archived", tone: "neutral", shape: "square" },
};

/** What a button of a step says, and what a notice says after it. */
export const stepLooks: Readonly<Record<ProjectStep, { label: string; done: string; icon: LucideIcon }>> = {
  approve: { label: "Approve", done: "approved", icon: Check },
  pause: { label: "Pause", done: "paused", icon: Pause },
  resume: { label: "Resume", done: "resumed", icon: Play },
  cancel: { label: "Cancel project", done: "canceled", icon: CircleSlash },
  archive: { label: "Archive", done: "archived", icon: Archive },
};
