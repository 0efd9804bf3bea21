import { z } from "zod";
import { commaList, pageFields, text } from "@/domain/fields";
import { timestamp } from "@/domain/time/fields";

const narrowing = {
  actor_id: text(100).optional(),
  /** Any of a comma list: `device.created,device.deleted`. */
  action: commaList().optional(),
  target_id: text(100).optional(),
  since: timestamp().optional(),
  until: timestamp().optional(),
};

export const AuditFilters = z.object({ ...narrowing, ...pageFields({ default: 100, max: 1_000 }) });
export type AuditFilters = z.output<typeof AuditFilters>;

export const AuditExport = z.object(narrowing);
export type AuditExport = z.output<typeof AuditExport>;
