import type { z } from "zod";
import { EventFilters } from "@/domain/events/schema";
import { severityList } from "@/domain/fields";
import { momentNs } from "@/domain/time/fields";

/** The list's filters as its screen sends them: times may be relative, severities a minimum (`>=error`). */
export const EventScreenFilters = EventFilters.extend({
  severity: severityList().optional(),
  since: momentNs().optional(),
  until: momentNs().optional(),
});

/** The same without order and pages: what the histogram above the list counts. */
export const EventHistogramQuery = EventScreenFilters.omit({ limit: true, cursor: true, order_by: true });
export type EventHistogramQuery = z.output<typeof EventHistogramQuery>;
