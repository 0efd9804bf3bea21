import type { CheckName } from "./check-names";
import type { DraftShape } from "./draft-schema";
import { isUnanswered, type EditorLabel } from "./editor-label";
import { areTouching, type Bounds } from "./geometry";
import { measureOverhang, type PictureSize } from "./picture-bounds";
import { isOffered } from "./pre-label";
import { measureRegion, overlapRegions, toRegion, type Region } from "./region";

export interface CheckFinding {
  check: CheckName;
  /** The id of the shape; null: of the picture as a whole. */
  shape: string | null;
  message: string;
}

/** Square pixels below which an area is a slip of the hand. */
const minArea = 4;
/** The overlap of two shapes of a label from which one of them is there twice. */
const maxOverlap = 0.95;

interface Area {
  shape: DraftShape;
  region: Region;
  bounds: Bounds;
}

/** Pairs of one label and type that cover nearly the same; each later shape once. */
function findTwice(areas: readonly Area[]): CheckFinding[] {
  // From left to right, so that only what begins before the end of another is compared with it.
  const sorted = areas.toSorted((a, b) => a.bounds.left - b.bounds.left);
  const found = new Set<string>();
  sorted.forEach((a, at) => {
    for (let other = at + 1; other < sorted.length; other++) {
      const b = sorted[other];
      if (!b || b.bounds.left > a.bounds.right) break;
      if (a.shape.label_id !== b.shape.label_id || found.has(b.shape.id) || !mayBeSame(a.bounds, b.bounds)) continue;
      if (overlapRegions(a.region, b.region) > maxOverlap) found.add(b.shape.id);
    }
  });
  return Array.from(found, (shape) => ({ check: "twice", shape, message: "Nearly the same as another of its label." }));
}

/** Bounds that differ much cannot belong to areas that are nearly the same. */
function mayBeSame(a: Bounds, b: Bounds): boolean {
  if (!areTouching(a, b)) return false;
  const measure = ({ left, top, right, bottom }: Bounds) => (right - left) * (bottom - top);
  const common =
    (Math.min(a.right, b.right) - Math.max(a.left, b.left)) * (Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
  return common >= 0.8 * Math.max(measure(a), measure(b));
}

function checkShape(shape: DraftShape, label: EditorLabel | undefined, picture: PictureSize | null): CheckFinding[] {
  const of = (check: CheckName, message: string): CheckFinding => ({ check, shape: shape.id, message });
  if (!label) return [of("unknown_label", "Its label is not one of the project.")];
  const findings: CheckFinding[] = [];
  if (label.retired) findings.push(of("retired_label", `The label ${label.name} is retired.`));
  for (const { key, name, required } of label.attributes)
    if (required && isUnanswered(shape.attributes[key])) findings.push(of("required_attribute", `${name} is missing.`));
  const region = toRegion(shape);
  if (region && measureRegion(region) < minArea) findings.push(of("too_small", "Smaller than 4 square pixels."));
  if (picture && measureOverhang({ ...shape, label: label.name }, picture) > 0)
    findings.push(of("outside", "Reaches out of the picture and will be clipped."));
  return findings;
}

/** Tags with a question that has to be answered are to be given, or not, on every picture. */
function findUnanswered(shapes: readonly DraftShape[], labels: readonly EditorLabel[]): CheckFinding[] {
  const isTag = ({ types }: EditorLabel) => types.length === 1 && types[0] === "classification";
  const asked = labels.filter(
    (label) => !label.retired && isTag(label) && label.attributes.some((each) => each.required),
  );
  const given = new Set(shapes.map((shape) => shape.label_id));
  return asked
    .filter((label) => !given.has(label.id))
    .map((label) => ({ check: "unanswered_tag", shape: null, message: `The tag ${label.name} is not answered.` }));
}

/**
 * What is doubtful about a draft, for people to look at before it is submitted; null: a picture of unknown size. What a model offers
 * and nobody took is not submitted.
 */
export function findChecks(
  drawn: readonly DraftShape[],
  labels: readonly EditorLabel[],
  picture: PictureSize | null,
): CheckFinding[] {
  const shapes = drawn.filter((shape) => !isOffered(shape));
  const byId = new Map(labels.map((label) => [label.id, label]));
  const areas = shapes.flatMap((shape) => {
    const region = toRegion(shape);
    return region?.bounds ? [{ shape, region, bounds: region.bounds }] : [];
  });
  return [
    ...findUnanswered(shapes, labels),
    ...shapes.flatMap((shape) => checkShape(shape, byId.get(shape.label_id), picture)),
    ...findTwice(areas),
  ];
}
