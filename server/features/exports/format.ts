import type { SelectedDataset, ExportSelection } from "@/server/features/exports/selection-queries";
import type { Ctx } from "@/server/platform/context";

/** The description of an export in its file. */
interface ExportInfo {
  name: string;
  created_at: string;
  format: string;
  filter_query_string: string;
}

/** What a format writes. */
export interface ExportContent {
  ctx: Ctx;
  info: ExportInfo;
  selection: ExportSelection;
  datasets: readonly SelectedDataset[];
  /** Called with the number of items written since the last call; throws when the export was aborted. */
  onProgress: (items: number) => Promise<void>;
}

export interface FormatWriter {
  /** The extension of the file's name, without the dot. */
  extension: string;
  /** Streams the export to the file `target`. The caller deletes files beside it whose names begin with its name. */
  write: (target: string, content: ExportContent) => Promise<void>;
}
