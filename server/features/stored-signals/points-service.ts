import type { SeriesPoint } from "@/engine/signals/series";
import { columnPoints, type RawWindow } from "@/engine/signals/series-raw";
import { isReadable } from "@/engine/signals/signal-file-reader";
import { openSignals } from "@/server/features/stored-signals/open-signals";
import { listSignalSources } from "@/server/features/stored-signals/source-queries";
import type { Ctx } from "@/server/platform/context";

/** Longer windows have times that doubles do not hold exactly. */
const maxSpanNs = 2n ** 52n;

/**
 * Numbers of a field within a window, from the pages of its stored signals that lie in it. Null where these are not
 * enough, such as for a field that some message lacks.
 */
export async function readStoredPoints(
  ctx: Ctx,
  recordingId: string,
  window: RawWindow & { points: number },
): Promise<SeriesPoint[] | null> {
  if (window.to < window.from || window.to - window.from >= maxSpanNs) return null;
  const source = (await listSignalSources(ctx, recordingId, [window.topic])).get(window.topic);
  const type = source?.types.get(window.field);
  if (!source || type === undefined || type === "bool" || !isReadable(type)) return null;
  return openSignals(source, async (reader) => {
    const span = await reader.findRows(window.from, window.to);
    const times = await reader.readTimes(window.from, span);
    const values = times && (await reader.readColumn(window.field, type, span));
    return times && values ? columnPoints(window, times, values) : null;
  });
}
