import type { SelectedDataset, Wanted } from "@/server/features/exports/selection-queries";
import type { Ctx } from "@/server/platform/context";

/** What an export says of itself. */
interface ExportInfo {
  name: string;
  created_at: string;
  format: string;
  filter_query_string: string;
}

/** What an export is to hold. */
export interface ExportContent {
  ctx: Ctx;
  info: ExportInfo;
  wanted: Wanted;
  datasets: readonly SelectedDataset[];
  /** Called with how many items were written since the last call; throws when the export is not wanted any more. */
  onProgress: (items: number) => Promise<void>;
}

export interface FormatWriter {
  /** Of the file's name, without the dot. */
  extension: string;
  /** Writes the file `target`, streaming; files beside it that begin with its name are removed by the caller. */
  write: (target: string, content: ExportContent) => Promise<void>;
}
