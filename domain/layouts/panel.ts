import type { PanelConfigs, PanelState, PanelTypeId } from "@/domain/layouts/panel-configs";

/** A panel of a type. Apart from the schemas, so that pages need not load validation. */
export const toPanel = <Id extends PanelTypeId>(type: Id, config: PanelConfigs[Id]): PanelState =>
  // The compiler does not see that members of a union which is indexed twice belong together.
  ({ type, config }) as PanelState;
