import { logType } from "@/components/recording/log/log-type";
import { mapType } from "@/components/recording/map/map-type";
import { imageType } from "@/components/recording/picture/image-type";
import { plotType } from "@/components/recording/plot/plot-type";
import { sceneType } from "@/components/recording/scene/scene-type";
import type { PanelType } from "@/components/recording/session/panel-type";
import { diagnosticsType } from "@/components/recording/states/diagnostics-type";
import { statesType } from "@/components/recording/states/states-type";
import { rawType } from "@/components/recording/table/raw-type";
import { tableType } from "@/components/recording/table/table-type";
import type { PanelConfigs, PanelOf, PanelTypeId } from "@/domain/layouts/panel-configs";

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
