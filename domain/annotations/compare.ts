import { Annotation, type StoredAnnotation } from "@/domain/tasks/schema";
import { areTouching, boundPoints, measureDistance, widen, type Bounds, type Point } from "./geometry";
import { countPoints, overlapRegions, toRegion, type Region } from "./region";

const shapeDifferences = ["missing", "label", "place", "attributes"] as const;
type ShapeDifference = (typeof shapeDifferences)[number];

/** A shape of one set of annotations and what it became in another; one that only one of them has stands alone. */
export interface ShapePair {
  /** Places in the two lists. */
  a: number | null;
  b: number | null;
  /** The share of their areas that both have, of lines and points that of their bounds; null for what stands alone. */
  iou: number | null;
  /** None: they are the same. */
  differs: ShapeDifference[];
}

/** What stored annotations are compared as. */
type Compared = Readonly<StoredAnnotation>;

interface Mark {
  at: number;
  annotation: Compared;
  /** Marks of other groups are never the same thing. */
  group: string;
  /** The points of its lines; none for masks and what lies in no picture. */
  points: readonly Point[];
  bounds: Bounds | null;
  /** Null: it is no area. */
  region: Region | null;
}

/** The overlap from which shapes without a common id are one, and that of shapes whose labels differ. */
const sameFrom = { label: 0.1, other: 0.5 };
/** Pixels by which a point may lie elsewhere without anybody seeing it. */
const seenFrom = 0.5;
/** Pixels around lines and points, which have no area of their own. */
const reach = 8;
/** Of one shape, the others that are looked at, those that begin nearest, and of them those whose area is measured. */
const [maxLooks, maxCandidates] = [400, 16];
/** Points of areas that are measured exactly; after that bounds have to do, so that no two sets take seconds. */
const maxMeasured = 50_000;
/** Attributes that say where a shape comes from, not what it is. */
const bookkeeping = new Set(["id", "source", "order", "run", "confidence", "score"]);

function toMark(annotation: Compared, at: number): Mark {
  const { data } = Annotation.safeParse(annotation);
  const frame = String(annotation.coordinates.frame ?? "");
  const of = (group: string, points: readonly Point[], bounds: Bounds | null, region: Region | null = null): Mark => ({
    at,
    annotation,
    group: `${group} ${frame}`,
    points,
    bounds,
    region,
  });
  const region = data ? toRegion(data) : null;
  if (region) return of("area", region.mask ? [] : region.rings.flat(), region.bounds, region);
  if (data?.type !== "polyline" && data?.type !== "keypoints") return of(annotation.type, [], null);
  const bounds = boundPoints(data.coordinates.points);
  return of(data.type, data.coordinates.points, bounds && widen(bounds, reach));
}

/** JSON with sorted members, so that equal values have equal texts. */
const toText = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

const measureBounds = ({ left, top, right, bottom }: Bounds): number => (right - left) * (bottom - top);

function overlapBounds(a: Bounds, b: Bounds): number {
  if (!areTouching(a, b)) return 0;
  const common =
    (Math.min(a.right, b.right) - Math.max(a.left, b.left)) * (Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
  const all = measureBounds(a) + measureBounds(b) - common;
  return all === 0 ? 0 : common / all;
}

const countHoles = ({ region }: Mark): number => (region && !region.mask ? region.rings.length : 0);

const isSamePlace = (a: Mark, b: Mark): boolean =>
  a.points.length > 0
    ? a.annotation.type === b.annotation.type &&
      toText(a.annotation.coordinates.visibility) === toText(b.annotation.coordinates.visibility) &&
      a.points.length === b.points.length &&
      countHoles(a) === countHoles(b) &&
      a.points.every((point, at) => measureDistance(point, b.points[at] ?? point) <= seenFrom)
    : a.group === b.group && toText(a.annotation.coordinates) === toText(b.annotation.coordinates);

const toAnswers = ({ annotation }: Mark): string =>
  toText(Object.fromEntries(Object.entries(annotation.attributes).filter(([key]) => !bookkeeping.has(key))));

function listDifferences(a: Mark, b: Mark): ShapeDifference[] {
  const found: ShapeDifference[] = [];
  if (a.annotation.label !== b.annotation.label) found.push("label");
  if (!isSamePlace(a, b)) found.push("place");
  if (toAnswers(a) !== toAnswers(b)) found.push("attributes");
  return found;
}

/** Takes pairs out of two sets: what is taken is in no later pair. */
class Pairing {
  readonly pairs: ShapePair[] = [];
  private measured = 0;
  constructor(
    private readonly left: Set<Mark>,
    private readonly right: Set<Mark>,
  ) {}

  measure(a: Mark, b: Mark): number {
    if (a.group === b.group && isSamePlace(a, b)) return 1;
    if (a.group !== b.group || !a.bounds || !b.bounds) return 0;
    if (!a.region || !b.region || (a.region.isUpright && b.region.isUpright)) return overlapBounds(a.bounds, b.bounds);
    const points = countPoints(a.region) + countPoints(b.region);
    if (this.measured + points > maxMeasured) return overlapBounds(a.bounds, b.bounds);
    this.measured += points;
    return overlapRegions(a.region, b.region);
  }

  take(a: Mark, b: Mark, iou = this.measure(a, b)): void {
    if (!this.left.has(a) || !this.right.has(b)) return;
    this.left.delete(a);
    this.right.delete(b);
    this.pairs.push({ a: a.at, b: b.at, iou, differs: listDifferences(a, b) });
  }

  /** Pairs those for which `key` gives the same text, in their order; those without a key stay. */
  takeEqual(key: (mark: Mark) => string | null): void {
    const waiting = new Map<string, Mark[]>();
    for (const mark of [...this.right].toReversed()) {
      const text = key(mark);
      if (text !== null) waiting.set(text, [...(waiting.get(text) ?? []), mark]);
    }
    for (const mark of this.left) {
      const other = waiting.get(key(mark) ?? "")?.pop();
      if (other) this.take(mark, other);
    }
  }

  /** Pairs what overlaps most first. */
  takeNearest(): void {
    const others = [...this.right].toSorted((a, b) => (a.bounds?.left ?? 0) - (b.bounds?.left ?? 0));
    const found = [...this.left].flatMap((a) => {
      const near = listNear(a, others);
      return near.map((b) => ({ a, b, iou: this.measure(a, b), isNamed: a.annotation.label === b.annotation.label }));
    });
    const likely = found.filter(({ iou, isNamed }) => iou >= (isNamed ? sameFrom.label : sameFrom.other));
    likely.sort((a, b) => b.iou - a.iou || Number(b.isNamed) - Number(a.isNamed) || a.a.at - b.a.at || a.b.at - b.b.at);
    for (const { a, b, iou } of likely) this.take(a, b, iou);
  }
}

/** The place of the first that begins at `left` or right of it. `others` are sorted by where they begin. */
function findStart(others: readonly Mark[], left: number): number {
  let [low, high] = [0, others.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((others[middle]?.bounds?.left ?? 0) < left) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Those whose bounds have most in common with those of a mark. `others` are sorted by where they begin. */
function listNear({ bounds, group }: Mark, others: readonly Mark[]): Mark[] {
  if (!bounds) return [];
  const start = findStart(others, bounds.left);
  return others
    .slice(Math.max(0, start - maxLooks / 2), start + maxLooks / 2)
    .flatMap((mark) => {
      const overlap = mark.bounds && mark.group === group ? overlapBounds(bounds, mark.bounds) : 0;
      return overlap > 0 ? [{ mark, overlap }] : [];
    })
    .toSorted((a, b) => b.overlap - a.overlap)
    .slice(0, maxCandidates)
    .map(({ mark }) => mark);
}

const getId = ({ annotation }: Mark): string | null =>
  typeof annotation.attributes.id === "string" ? annotation.attributes.id : null;

/**
 * Which shapes of two sets of annotations are the same thing, and what differs: first those with the same id, then equal
 * ones, then those that overlap most. In the order of `a`, followed by those that only `b` has. Every shape is in one pair.
 */
export function pairAnnotations(a: readonly Compared[], b: readonly Compared[]): ShapePair[] {
  const [left, right] = [new Set(a.map(toMark)), new Set(b.map(toMark))];
  const pairing = new Pairing(left, right);
  pairing.takeEqual(getId);
  pairing.takeEqual(({ group, annotation: { type, label, coordinates } }) =>
    toText([group, type, label, type === "classification" ? null : coordinates]),
  );
  pairing.takeNearest();
  const alone = (mark: Pick<ShapePair, "a" | "b">): ShapePair => ({ ...mark, iou: null, differs: ["missing"] });
  return [
    ...pairing.pairs,
    ...Array.from(left, ({ at }) => alone({ a: at, b: null })),
    ...Array.from(right, ({ at }) => alone({ a: null, b: at })),
  ].toSorted((x, y) => (x.a ?? Infinity) - (y.a ?? Infinity) || (x.b ?? Infinity) - (y.b ?? Infinity));
}
