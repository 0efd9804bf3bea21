import { findSignalFile } from "@/server/features/stored-signals/source-queries";
import type { Ctx } from "@/server/platform/context";

/** The file of signals of a recording's topic (`?topic=`), for pages; null when there is none. */
export const findSignalMedia = (ctx: Ctx, recordingId: string, query: URLSearchParams) =>
  findSignalFile(ctx, recordingId, query.get("topic") ?? "");
