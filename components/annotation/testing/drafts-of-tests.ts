import type { DraftShape } from "@/domain/annotations/draft-schema";
import type { EditorLabel } from "@/domain/annotations/editor-label";
import { toRuns } from "@/domain/masks/fill";
import { toCoordinates } from "@/domain/masks/mask-figure";
import type { EditorInput } from "../store/editor-snapshot";

/** Labels and shapes for tests of the editor. */

export const makeLabel = (id: string, members: Partial<EditorLabel> = {}): EditorLabel => ({
  id,
  name: id,
  color: "#0891b2",
  types: [],
  attributes: [],
  points: [],
  edges: [],
  description: "",
  retired: false,
  ...members,
});

export const picture = { width: 1_000, height: 800 };

type Members = Partial<Pick<DraftShape, "label_id" | "position" | "attributes">>;
const rest = (id: string, members: Members) => ({ id, label_id: "forklift", attributes: {}, position: 0, ...members });

/** A box by x, y, width and height. */
export const makeBox = (
  id: string,
  [x, y, width, height]: readonly [number, number, number, number],
  members: Members = {},
): DraftShape => ({ ...rest(id, members), type: "bbox", coordinates: { x, y, width, height } });

export const makePolygon = (id: string, points: [number, number][], members: Members = {}): DraftShape => ({
  ...rest(id, members),
  type: "polygon",
  coordinates: { points },
});

/** A mask of the pixels inside of rings. */
export function makeMask(id: string, rings: [number, number][][], members: Members = {}): DraftShape {
  const filled = toRuns(rings, picture);
  if (!filled) throw new Error("no pixels");
  return { ...rest(id, members), type: "mask", coordinates: toCoordinates(filled.box, filled.runs, picture) };
}

/** The corners of a square. */
export const makeSquare = (low: number, high: number): [number, number][] => [
  [low, low],
  [high, low],
  [high, high],
  [low, high],
];

export const makeInput = (members: Partial<EditorInput> = {}): EditorInput => ({
  picture,
  labels: [makeLabel("forklift"), makeLabel("pallet", { color: "#c2410c" })],
  shapes: [],
  proposals: [],
  kept: null,
  canEdit: true,
  onOps: () => {},
  onDecide: () => {},
  onSay: () => {},
  ...members,
});
