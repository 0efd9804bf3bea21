import { formatNumber, plural } from "@/components/kit/format";
import type { ShapeName } from "@/components/kit/shape";
import type { Tone } from "@/components/product/status";
import type { ExportFormat } from "@/domain/exports/formats";
import type { ExportLoss, ExportStatus, ExportedResults, SplitCounts, SplitPart } from "@/domain/exports/schema";
import type { Export, ExportSource } from "./query";

/** The formats as people know them. */
export const formatNames: Readonly<Record<ExportFormat, string>> = {
  "avala-json-external": "JSON",
  YOLO: "YOLO",
  "YOLO-segment": "YOLO segment",
  "YOLO-pose": "YOLO pose",
  "YOLO-OBB": "YOLO OBB",
  COCO: "COCO",
  "COCO-panoptic": "COCO panoptic",
  CVAT: "CVAT",
  LabelStudio: "Label Studio",
};
export const formatExtensions: Readonly<Record<ExportFormat, string>> = {
  "avala-json-external": "json",
  YOLO: "zip",
  "YOLO-segment": "zip",
  "YOLO-pose": "zip",
  "YOLO-OBB": "zip",
  COCO: "json",
  "COCO-panoptic": "zip",
  CVAT: "zip",
  LabelStudio: "zip",
};

export const resultNames: Readonly<Record<ExportedResults, string>> = {
  accepted: "Accepted only",
  submitted: "Accepted and undecided",
};

/** The parts of a training set as people know them. */
export const partNames: Readonly<Record<SplitPart, string>> = { train: "Training", val: "Validation", test: "Test" };

interface Look {
  tone: Tone;
  shape: ShapeName;
  label: string;
}

/** How each status looks everywhere. */
export const exportLooks: Readonly<Record<ExportStatus, Look>> = {
  requested: { tone: "neutral", shape: "dotted-ring", label: "Waiting" },
  exporting: { tone: "info", shape: "half", label: "Exporting" },
  exported: { tone: "online", shape: "check", label: "Ready" },
  failed: { tone: "error", shape: "cross", label: "Failed" },
  aborted: { tone: "neutral", shape: "square", label: "Stopped" },
};

const expired: Look = { tone: "neutral", shape: "frame", label: "Expired" };

/** Whether its file was there and can no longer be downloaded. */
export const isExpired = ({ status, download_url }: Pick<Export, "status" | "download_url">): boolean =>
  status === "exported" && download_url === null;

export const isUnderWay = ({ status }: Pick<Export, "status">): boolean =>
  status === "requested" || status === "exporting";

export const getLook = (of: Pick<Export, "status" | "download_url">): Look =>
  isExpired(of) ? expired : exportLooks[of.status];

/** How far it is, 0 to 1; null while that is not known. */
export const getShare = ({ total_task_count: total, exported_task_count: done }: Export): number | null =>
  total === null || done === null ? null : total === 0 ? 1 : Math.min(1, done / total);

export const describePlace = (before: number | null): string =>
  before === null ? "" : before === 0 ? "next in line" : `${formatNumber(before)} before this`;

/** Milliseconds until an export under way is finished at its present rate; null while that is not known. */
export function getTimeLeft(of: Export): number | null {
  const { total_task_count: total, exported_task_count: done, items_per_second: rate } = of;
  return total === null || done === null || rate === null || rate <= 0 ? null : ((total - done) / rate) * 1_000;
}

/** "Yard, Harbour and 3 more". */
export function describeSources(sources: readonly ExportSource[]): string {
  const names = sources.map(({ kind, name }) => name ?? `a deleted ${kind}`);
  const [first = "–", second] = names;
  if (second === undefined) return first;
  return names.length === 2 ? `${first} and ${second}` : `${first}, ${second} and ${names.length - 2} more`;
}

/** What a format cannot hold, in words: "12 polygons become boxes". */
export function describeLoss({ what, count }: { what: ExportLoss; count: number }): string {
  const one = count === 1;
  switch (what) {
    case "polygon_to_box":
      return one ? "1 polygon becomes a box" : `${formatNumber(count)} polygons become boxes`;
    case "mask_to_box":
      return one ? "1 mask becomes a box" : `${formatNumber(count)} masks become boxes`;
    case "mask_to_polygon":
      return one ? "1 mask becomes its outline" : `${formatNumber(count)} masks become their outlines`;
    case "holes_to_mask":
      return one ? "1 polygon with holes becomes a mask" : `${formatNumber(count)} polygons with holes become masks`;
    case "rotated_to_polygon":
      return one ? "1 turned box becomes a polygon" : `${formatNumber(count)} turned boxes become polygons`;
    case "rotation_dropped":
      return one
        ? "1 turned box becomes the box around it"
        : `${formatNumber(count)} turned boxes become the boxes around them`;
    case "corners_moved":
      return one
        ? "1 turned box sticks out of the picture: its corners are moved to the border"
        : `${formatNumber(count)} turned boxes stick out of the picture: their corners are moved to the border`;
    case "visibility_dropped":
      return one
        ? "1 skeleton does not say which of its points are hidden or absent"
        : `${formatNumber(count)} skeletons do not say which of their points are hidden or absent`;
    case "keypoints_parted":
      return one ? "1 skeleton becomes single points" : `${formatNumber(count)} skeletons become single points`;
    case "box_dropped":
      return `${plural(count, "box", "boxes")} left out`;
    case "polygon_dropped":
      return `${plural(count, "polygon")} left out`;
    case "mask_dropped":
      return `${plural(count, "mask")} left out`;
    case "polyline_dropped":
      return `${plural(count, "polyline")} left out`;
    case "keypoints_dropped":
      return `${plural(count, "set of keypoints", "sets of keypoints")} left out`;
    case "cuboid_dropped":
      return `${plural(count, "cuboid")} left out`;
    case "classification_dropped":
      return `${plural(count, "classification")} left out`;
    case "outside_dropped":
      return `${plural(count, "shape")} outside of the picture left out`;
    case "covered_partly":
      return `${plural(count, "shape")} partly under later ones: each pixel is of the last`;
    case "covered_dropped":
      return `${plural(count, "shape")} wholly under later ones left out`;
    case "attributes_dropped":
      return `${plural(count, "shape")} without ${one ? "its" : "their"} attributes`;
    case "item_dropped":
      return `${plural(count, "item")} that ${one ? "is no picture" : "are no pictures"} left out`;
    case "unlabelled_dropped":
      return `${plural(count, "picture")} that nobody labelled left out`;
    case "undecided_dropped":
      return `${plural(count, "picture")} without an accepted result left out`;
    case "unboxed_dropped":
      return `${plural(count, "labelled picture")} without a shape that the format holds left out`;
    case "unboxed_as_background":
      return one
        ? "1 labelled picture without a shape that the format holds is background"
        : `${formatNumber(count)} labelled pictures without a shape that the format holds are background`;
    case "unlabelled_as_background":
      return one
        ? "1 picture that nobody labelled is background"
        : `${formatNumber(count)} pictures that nobody labelled are background`;
    case "item_repeated":
      return `${plural(count, "picture")} labelled in several projects, in the file once for each`;
  }
}

/** What a training set never divides, where that is not what was meant. */
export function describeDivision({ by }: SplitCounts): string | null {
  if (by === "nothing") return "There are fewer than two pictures, so that validation uses those of training.";
  if (by === "item")
    return "All pictures are of one recording, or equal: they are divided one by one, and those of validation resemble those of training.";
  return null;
}
