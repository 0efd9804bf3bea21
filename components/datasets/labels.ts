import type { ShapeName } from "@/components/kit/shape";
import type { Tone } from "@/components/product/status";
import type { dataTypes, datasetStatuses } from "@/domain/datasets/schema";
import type { runStatuses } from "@/domain/models/schema";

type DataType = (typeof dataTypes)[number];

/** The types of datasets, and what their items are. */
export const dataTypeLabels: Readonly<Record<DataType, { label: string; hint: string }>> = {
  image: { label: "Pictures", hint: "JPEG, PNG and WebP" },
  video: { label: "Videos", hint: "MP4 and MOV" },
  lidar: { label: "Point clouds", hint: "PCD and PLY" },
  mcap: { label: "Recordings", hint: "MCAP and ROS bags" },
  splat: { label: "Splats", hint: "Gaussian splats as PLY" },
  image_3d: { label: "3D pictures", hint: "Pictures with depth" },
};

export const datasetLooks: Readonly<
  Record<(typeof datasetStatuses)[number], { label: string; tone: Tone; shape: ShapeName }>
> = {
  creating: { label: "Being read", tone: "neutral", shape: "dotted-ring" },
  created: { label: "Ready", tone: "online", shape: "check" },
  failed: { label: "Failed", tone: "error", shape: "cross" },
};

interface Look {
  label: string;
  tone: Tone;
  shape: ShapeName;
}

export const runLooks: Readonly<Record<(typeof runStatuses)[number], Look>> = {
  pending: { label: "Waiting", tone: "neutral", shape: "dotted-ring" },
  running: { label: "Running", tone: "info", shape: "half" },
  completed: { label: "Done", tone: "online", shape: "check" },
  failed: { label: "Failed", tone: "error", shape: "cross" },
};
