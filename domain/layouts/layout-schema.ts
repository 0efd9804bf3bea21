import { z } from "zod";
import { jsonSize } from "@/domain/fields";
import { toPanel } from "@/domain/layouts/panel";
import { panelConfigs, type PanelState, type PanelTypeId } from "@/domain/layouts/panel-configs";
import {
  fitSizes,
  listPanels,
  maxLayoutBytes,
  maxPanels,
  panelNames,
  type Layout,
  type LayoutNode,
} from "@/domain/layouts/tree";

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const panelState = z.unknown().transform((value, issues): PanelState => {
  const refuse = (message: string) => {
    issues.addIssue({ code: "custom", message });
    return z.NEVER;
  };
  if (!isRecord(value)) return refuse("Must be a panel.");
  const { type } = value;
  if (!isPanelType(type)) return refuse(`Must have one of the types ${Object.keys(panelConfigs).join(", ")}.`);
  const read = parsePanel(type, value["config"]);
  return read ?? refuse(`Is no panel of the type ${type}.`);
});

const isPanelType = (type: unknown): type is PanelTypeId =>
  typeof type === "string" && Object.hasOwn(panelConfigs, type);

/** A panel of a type with a config from outside; null where that does not fit. */
export function parsePanel(type: PanelTypeId, config: unknown): PanelState | null {
  const read = panelConfigs[type].safeParse(config);
  return read.success ? toPanel(type, read.data) : null;
}

/** Reads the arrangement as far as it is one; null for anything else. Deeper than there can be panels is none. */
function readNode(value: unknown, depth = 0): LayoutNode | null {
  if (!isRecord(value) || depth > maxPanels) return null;
  const { panel, tabs, active, dir, sizes, items } = value;
  if (typeof panel === "string") return { panel };
  if (Array.isArray(tabs)) {
    const names = tabs.filter((tab) => typeof tab === "string");
    if (names.length !== tabs.length || names.length < 2 || typeof active !== "string") return null;
    return names.includes(active) ? { tabs: names, active } : null;
  }
  if ((dir !== "row" && dir !== "col") || !Array.isArray(sizes) || !Array.isArray(items)) return null;
  if (items.length < 2 || items.length > maxPanels || sizes.length !== items.length) return null;
  const shares = sizes.filter((size) => typeof size === "number" && Number.isFinite(size) && size > 0);
  const parts = items.map((item) => readNode(item, depth + 1)).filter((item) => item !== null);
  if (shares.length !== sizes.length || parts.length !== items.length) return null;
  return { dir, sizes: fitSizes(shares), items: parts };
}

const tree = z
  .object({ v: z.literal(1), root: z.unknown(), panels: z.record(z.string(), panelState) })
  .transform(({ root: given, panels }, issues): Layout => {
    const refuse = (message: string) => {
      issues.addIssue({ code: "custom", message });
      return z.NEVER;
    };
    const names = Object.keys(panels);
    if (!names.every((name) => panelNames.includes(name))) return refuse(`Must call its panels p1 to p${maxPanels}.`);
    if (given === null && names.length === 0) return { v: 1, root: null, panels };
    const root = readNode(given);
    if (root === null) return refuse("Must arrange the panels in rows, columns and tabs.");
    const placed = listPanels(root);
    const isComplete = placed.length === names.length && names.every((name) => placed.includes(name));
    return isComplete ? { v: 1, root, panels } : refuse("Must give each panel one place.");
  });

/** A layout from a request, an address or the database. Older versions are read as what they mean today. */
export const layoutTree = z
  .unknown()
  .refine((value) => value !== undefined && jsonSize(value) <= maxLayoutBytes, {
    error: `A layout has at most ${maxLayoutBytes / 1024} kB.`,
    abort: true,
  })
  .transform((value) => migrateLayout(value))
  .pipe(tree);

/** By version: how it becomes the next one. */
const migrations: Readonly<Record<number, (layout: Record<string, unknown>) => Record<string, unknown>>> = {};

/** Brings a stored layout to the version of today, one by one; what is none is returned as it is. */
export function migrateLayout(value: unknown, steps = migrations): unknown {
  let layout = value;
  while (isRecord(layout) && typeof layout["v"] === "number") {
    const step = steps[layout["v"]];
    if (step === undefined) break;
    layout = { ...step(layout), v: layout["v"] + 1 };
  }
  return layout;
}
