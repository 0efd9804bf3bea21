import type { PanelConfigs, PanelOf, PanelTypeId } from "@/domain/layouts/panel-configs";
import { diagnosticsType } from "./diagnostics-type";
import { imageType } from "./image-type";
import { logType } from "./log-type";
import { mapType } from "./map-type";
import type { PanelType } from "./panel-type";
import { plotType } from "./plot-type";
import { rawType } from "./raw-type";
import { sceneType } from "./scene-type";
import { statesType } from "./states-type";
import { tableType } from "./table-type";

/** Every type of panel, in the order in which people are offered them. */
export const panelTypes: { [Id in PanelTypeId]: PanelType<PanelConfigs[Id]> } = {
  image: imageType,
  scene: sceneType,
  map: mapType,
  plot: plotType,
  log: logType,
  diagnostics: diagnosticsType,
  states: statesType,
  raw: rawType,
  table: tableType,
};

export const panelTypeIds = Object.keys(panelTypes) as PanelTypeId[];

/** The record of a panel's type. */
export const getType = <Id extends PanelTypeId>({ type }: PanelOf<Id>): PanelType<PanelConfigs[Id]> => panelTypes[type];

/** What a panel shows, as its head says it. */
export const getTitle = <Id extends PanelTypeId>(panel: PanelOf<Id>): string => getType(panel).title(panel.config);

/** The topics a panel cannot do without. */
export const getTopics = <Id extends PanelTypeId>(panel: PanelOf<Id>): readonly string[] =>
  getType(panel).topics(panel.config);
