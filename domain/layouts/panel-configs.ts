import { z } from "zod";
import { choice, list, nonBlank, text } from "@/domain/fields";

/** Fields that one plot panel shows at most. */
const maxSeries = 8;

/** The name of a topic. */
const topic = () => nonBlank(1_024);

/** What each type of panel keeps: saved in layouts and held in addresses. Other registries are typed after this one. */
export const panelConfigs = {
  image: z.strictObject({
    topic: topic(),
    colour_scale: choice(["turbo", "viridis", "grey"]).optional(),
    range: z.object({ min: z.number(), max: z.number() }).nullable().optional(),
    rotation: z.literal([0, 90, 180, 270]).optional(),
    mirrored: z.boolean().optional(),
    brightness: z.number().min(0).max(10).optional(),
    contrast: z.number().min(0).max(10).optional(),
    rectified: z.boolean().optional(),
    overlays: list(topic(), 50).nullable().optional(),
  }),
  /** One view of everything that is somewhere. */
  scene: z.strictObject({}),
  map: z.strictObject({ topic: topic() }),
  log: z.strictObject({ level: choice(["debug", "info", "warning", "error", "fatal"]), search: text(200) }),
  diagnostics: z.strictObject({ all: z.boolean() }),
  raw: z.strictObject({ topic: topic() }),
  plot: z.strictObject({ series: list(nonBlank(2_048), maxSeries) }),
};

export type PanelTypeId = keyof typeof panelConfigs;
export type PanelConfigs = { [Id in PanelTypeId]: z.output<(typeof panelConfigs)[Id]> };

/** One panel: its type and what it shows. */
export interface PanelOf<Id extends PanelTypeId> {
  type: Id;
  config: PanelConfigs[Id];
}
export type PanelState = { [Id in PanelTypeId]: PanelOf<Id> }[PanelTypeId];

/** A panel of a type. */
export const toPanel = <Id extends PanelTypeId>(type: Id, config: PanelConfigs[Id]): PanelState =>
  // The compiler does not see that members of a union which is indexed twice belong together.
  ({ type, config }) as PanelState;
