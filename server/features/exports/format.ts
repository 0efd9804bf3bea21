import type { ExportContents } from "@/domain/exports/schema";
import type {
  ExportSelection,
  SelectedDataset,
  SelectedItem,
  SelectedResult,
} from "@/server/features/exports/selection-queries";
import type { Tally } from "@/server/features/exports/tally";
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

/** The numbers of classes by name, in their order. */
export type ClassNumbers = ReadonlyMap<string, number>;

/** A file, or a part of one, as text. */
export interface TextFile {
  name: string;
  text: string;
}

export interface FormatWriter {
  /** The extension of the file's name, without the dot. */
  extension: string;
  /**
   * Streams the export to the file `target` and resolves to what it contains. The caller deletes files beside it whose
   * names begin with its name.
   */
  write: (target: string, content: ExportContent) => Promise<ExportContents>;
  /** Counts an item and what the format holds of its results, as `write` does. */
  count: (item: SelectedItem, results: readonly SelectedResult[], classes: ClassNumbers, tally: Tally) => void;
  /** What `write` makes of one item: `content` selects it alone. */
  show: (content: ExportContent, item: SelectedItem, classes: ClassNumbers) => Promise<TextFile[]>;
}
