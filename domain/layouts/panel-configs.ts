import { z } from "zod";
import { choice, list, nonBlank, text } from "@/domain/fields";

/** Fields that one plot panel shows at most. */
const maxSeries = 8;

/** Layers of which one 3-D panel keeps settings at most. */
const maxLayers = 200;

/** The name of a topic. */
const topic = () => nonBlank(1_024);

/** The name of a frame or a field; null chooses. */
const name = () => nonBlank(1_024).nullable();

/** What a plot shows: the path of a field, or an expression after an equals sign. */
const plotted = () => nonBlank(2_048);

/** How a topic of a 3-D panel is drawn; what is left out is chosen. */
const sceneLayer = z.strictObject({
  is_shown: z.boolean().optional(),
  colour_by: name().optional(),
  min: z.number().nullable().optional(),
  max: z.number().nullable().optional(),
  /** Pixels. */
  point_size: z.number().min(1).max(8).optional(),
  /** Seconds that messages stay. */
  decay: z.number().min(0).max(30).optional(),
  /** Points of scans are joined. */
  line: z.boolean().optional(),
  /** Whether scans with several echoes of a beam show all of them. */
  all_echoes: z.boolean().optional(),
  /** The trail of odometry has the colours of its speed. */
  by_speed: z.boolean().optional(),
  /** Occupancy grids have the colours of costs. */
  costmap: z.boolean().optional(),
  /** The colours of grids with fields. */
  colour_scale: choice(["turbo", "viridis", "grey"]).optional(),
});

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
    /** Seconds that they stay after their time. */
    hold: z.number().min(0).max(60).nullable().optional(),
    /** Pixels of the picture. */
    line_width: z.number().min(1).max(16).nullable().optional(),
    least_score: z.number().min(0).max(1).optional(),
    /** What is drawn over the pictures by the camera's calibration. */
    cloud: z
      .strictObject({ topic: topic(), colour_by: name().optional(), point_size: z.number().min(1).max(8).optional() })
      .nullable()
      .optional(),
  }),
  /** One view of everything that is somewhere. */
  scene: z.strictObject({
    layers: z
      .record(topic(), sceneLayer)
      .refine((layers) => Object.keys(layers).length <= maxLayers, { error: `At most ${maxLayers} layers.` })
      .optional(),
    fixed_frame: name().optional(),
    follow_frame: name().optional(),
    follow: choice(["pose", "position", "fixed"]).optional(),
    from_above: z.boolean().optional(),
    show_frames: z.boolean().optional(),
    /** What is drawn of robots. */
    robot: choice(["visual", "collision"]).optional(),
  }),
  /** `colour`: the field that colours the track. */
  map: z.strictObject({ topic: topic(), colour: name().optional() }),
  log: z.strictObject({ level: choice(["debug", "info", "warning", "error", "fatal"]), search: text(200) }),
  diagnostics: z.strictObject({ all: z.boolean() }),
  states: z.strictObject({ search: text(200) }),
  raw: z.strictObject({ topic: topic() }),
  table: z.strictObject({ topic: topic(), rows: choice(["latest", "all"]) }),
  plot: z.strictObject({
    /** Paths of fields, and expressions after an equals sign. */
    series: list(plotted(), maxSeries),
    /** Each in a plot of its own, or all in one over time, another field, or the number of the sample. */
    arrangement: choice(["apart", "time", "field", "index"]).optional(),
    /** Those that belong to the axis on the right. */
    right: list(plotted(), maxSeries).optional(),
    /** The one that the others are drawn over; null for the first. */
    x: plotted().nullable().optional(),
    /** Whether a unit of x is as long as one of y. */
    equal_scales: z.boolean().optional(),
  }),
};

export type PanelTypeId = keyof typeof panelConfigs;
export type PanelConfigs = { [Id in PanelTypeId]: z.output<(typeof panelConfigs)[Id]> };

/** One panel: its type and what it shows. */
export interface PanelOf<Id extends PanelTypeId> {
  type: Id;
  config: PanelConfigs[Id];
}
export type PanelState = { [Id in PanelTypeId]: PanelOf<Id> }[PanelTypeId];
