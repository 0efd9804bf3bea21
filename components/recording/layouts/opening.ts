import { isUuid } from "@/domain/uid";

/** What the server is asked for a recording's layout, by what its address says. */
export const toOpening = (recording: string, layout: unknown) =>
  typeof layout === "string" && isUuid(layout) ? { recording, layout } : { recording };
