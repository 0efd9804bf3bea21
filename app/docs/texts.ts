import changelog from "@/CHANGELOG.md";
import { parseGuide, type ParsedGuide } from "@/components/product/markdown/parse-guide";
import agents from "@/docs/agents.md";
import alerts from "@/docs/alerts.md";
import annotation from "@/docs/annotation.md";
import restApi from "@/docs/api.md";
import buckets from "@/docs/buckets.md";
import dataLoop from "@/docs/data-loop.md";
import devices from "@/docs/devices.md";
import errors from "@/docs/errors.md";
import events from "@/docs/events.md";
import filters from "@/docs/filters.md";
import firstSteps from "@/docs/first-steps.md";
import formats from "@/docs/formats.md";
import foxglove from "@/docs/foxglove.md";
import health from "@/docs/health.md";
import idempotency from "@/docs/idempotency.md";
import items from "@/docs/items.md";
import limits from "@/docs/limits.md";
import mcp from "@/docs/mcp.md";
import models from "@/docs/models.md";
import paging from "@/docs/paging.md";
import quickStart from "@/docs/quick-start.md";
import recordings from "@/docs/recordings.md";
import review from "@/docs/review.md";
import roles from "@/docs/roles.md";
import rules from "@/docs/rules.md";
import sql from "@/docs/sql.md";
import uploads from "@/docs/uploads.md";
import webhooks from "@/docs/webhooks.md";
import { guides, type GuideFile, type GuideName } from "@/domain/docs/guides";

/** The Markdown of every guide. */
const texts: Record<GuideFile, string> = {
  "CHANGELOG.md": changelog,
  "docs/agents.md": agents,
  "docs/alerts.md": alerts,
  "docs/annotation.md": annotation,
  "docs/api.md": restApi,
  "docs/buckets.md": buckets,
  "docs/data-loop.md": dataLoop,
  "docs/devices.md": devices,
  "docs/errors.md": errors,
  "docs/events.md": events,
  "docs/filters.md": filters,
  "docs/first-steps.md": firstSteps,
  "docs/formats.md": formats,
  "docs/foxglove.md": foxglove,
  "docs/health.md": health,
  "docs/idempotency.md": idempotency,
  "docs/items.md": items,
  "docs/limits.md": limits,
  "docs/mcp.md": mcp,
  "docs/models.md": models,
  "docs/paging.md": paging,
  "docs/quick-start.md": quickStart,
  "docs/recordings.md": recordings,
  "docs/review.md": review,
  "docs/roles.md": roles,
  "docs/rules.md": rules,
  "docs/sql.md": sql,
  "docs/uploads.md": uploads,
  "docs/webhooks.md": webhooks,
};

const parsed = new Map<GuideName, ParsedGuide>();

/** A guide, parsed at its first request. */
export function loadGuide(name: GuideName): ParsedGuide {
  const guide = parsed.get(name) ?? parseGuide(texts[guides[name].file]);
  parsed.set(name, guide);
  return guide;
}
