import type { SceneTopic } from "@/components/recording/thread/scene-feed";
import type { PanelConfigs } from "@/domain/layouts/panel-configs";
import { deservesScene } from "@/engine/messages/scene-schemas";
import { defaultLayer, type LayerSettings, type SceneSettings } from "./scene-settings";

/** How a panel shows a scene: plain values, to be stored with a layout. */
export type SceneConfig = PanelConfigs["scene"];

/** Layers shown at first; each costs reading and decoding. */
const shownAtFirst = 8;

type KeptLayer = NonNullable<SceneConfig["layers"]>[string];

/** What is not shown at first: before others, what is no reason for a scene itself. */
const listBeyond = (topics: readonly SceneTopic[]): string[] =>
  topics
    .toSorted((a, b) => Number(deservesScene(b.schema)) - Number(deservesScene(a.schema)))
    .slice(shownAtFirst)
    .map(({ name }) => name);

const toDefault = (topics: readonly SceneTopic[]) => {
  const beyond = new Set(listBeyond(topics));
  return (name: string): LayerSettings => ({ ...defaultLayer, isShown: !beyond.has(name) });
};

/** What is drawn by a config; `topics`: those of the recording that a scene shows. */
export function readSceneConfig(config: SceneConfig, topics: readonly SceneTopic[]): SceneSettings {
  const kept = new Map(Object.entries(config.layers ?? {}));
  const byDefault = toDefault(topics);
  const readLayer = (name: string): LayerSettings => {
    const initial = byDefault(name);
    const layer = kept.get(name);
    return {
      isShown: layer?.is_shown ?? initial.isShown,
      colourBy: layer?.colour_by ?? initial.colourBy,
      min: layer?.min ?? initial.min,
      max: layer?.max ?? initial.max,
      pointSize: layer?.point_size ?? initial.pointSize,
      decay: layer?.decay ?? initial.decay,
      isLine: layer?.line ?? initial.isLine,
      allEchoes: layer?.all_echoes ?? initial.allEchoes,
      bySpeed: layer?.by_speed ?? initial.bySpeed,
      isCostmap: layer?.costmap ?? initial.isCostmap,
      colourScale: layer?.colour_scale ?? initial.colourScale,
    };
  };
  const names = [...new Set([...listBeyond(topics), ...kept.keys()])];
  return {
    layers: Object.fromEntries(names.map((name) => [name, readLayer(name)])),
    fixedFrame: config.fixed_frame ?? null,
    followFrame: config.follow_frame ?? null,
    follow: config.follow ?? "position",
    isTop: config.from_above ?? false,
    showFrames: config.show_frames ?? false,
    robotPart: config.robot ?? "visual",
  };
}

/** The config that keeps settings: of layers, what was chosen, so that links stay short. */
export function toSceneConfig(settings: SceneSettings, topics: readonly SceneTopic[]): SceneConfig {
  const byDefault = toDefault(topics);
  const layers = Object.entries(settings.layers).flatMap(([name, layer]): [string, KeptLayer][] => {
    const initial = byDefault(name);
    const kept: KeptLayer = {
      ...(layer.isShown !== initial.isShown && { is_shown: layer.isShown }),
      ...(layer.colourBy !== initial.colourBy && { colour_by: layer.colourBy }),
      ...(layer.min !== initial.min && { min: layer.min }),
      ...(layer.max !== initial.max && { max: layer.max }),
      ...(layer.pointSize !== initial.pointSize && { point_size: layer.pointSize }),
      ...(layer.decay !== initial.decay && { decay: layer.decay }),
      ...(layer.isLine !== initial.isLine && { line: layer.isLine }),
      ...(layer.allEchoes !== initial.allEchoes && { all_echoes: layer.allEchoes }),
      ...(layer.bySpeed !== initial.bySpeed && { by_speed: layer.bySpeed }),
      ...(layer.isCostmap !== initial.isCostmap && { costmap: layer.isCostmap }),
      ...(layer.colourScale !== initial.colourScale && { colour_scale: layer.colourScale }),
    };
    return Object.keys(kept).length > 0 ? [[name, kept]] : [];
  });
  return {
    layers: Object.fromEntries(layers),
    fixed_frame: settings.fixedFrame,
    follow_frame: settings.followFrame,
    follow: settings.follow,
    from_above: settings.isTop,
    show_frames: settings.showFrames,
    ...(settings.robotPart !== "visual" && { robot: settings.robotPart }),
  };
}
