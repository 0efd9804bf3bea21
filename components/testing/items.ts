import type { ItemCell } from "@/components/items/item-source";
import type { ViewedItem } from "@/components/items/item-type";

/** An item as a cell of a grid has it, without a picture. */
export const makeCell = (members: Partial<ItemCell> & Pick<ItemCell, "uid">): ItemCell => ({
  key: `${members.uid}.png`,
  status: "unattempted",
  media_type: "image/png",
  annotations_count: 0,
  tint: null,
  has_thumbnail: false,
  label: null,
  label_color: null,
  width: 640,
  height: 480,
  extent: null,
  ...members,
});

/** An item as its drawer and page have it, without a picture. */
export const makeViewedItem = (members: Partial<ViewedItem> & Pick<ViewedItem, "uid">): ViewedItem => ({
  key: `${members.uid}.png`,
  status: "unattempted",
  media_type: "image/png",
  media: "image",
  metadata: { width: 640, height: 480 },
  size_bytes: 1_000,
  annotations_count: 0,
  tint: null,
  created_at: "2026-02-02T09:00:00.000Z",
  has_thumbnail: false,
  sequence_uid: null,
  sequence_key: null,
  view: "",
  frame: null,
  added_by_uid: null,
  added_by: "ada",
  dataset: { uid: "dat_1", name: "Yard", slug: "yard", owner_name: "own", data_type: "image" },
  source: { links: [], topic: null, t_ns: null },
  tasks: [],
  results: [],
  ...members,
});
