import type { ExportContents } from "@/domain/exports/schema";
import type { Classes } from "@/server/features/exports/class-numbers";
import type {
  SelectedDataset,
  SelectedItem,
  SelectedResult,
  TrainingSelection,
} from "@/server/features/exports/selection-queries";
import type { SplitPlan } from "@/server/features/exports/split-queries";
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
  selection: TrainingSelection;
  datasets: readonly SelectedDataset[];
  /** Called with the number of items written since the last call; throws when the export was aborted. */
  onProgress: (items: number) => Promise<void>;
}

/** What is known of an export before its items are read. */
export interface Outline {
  classes: Classes;
  split: SplitPlan;
  /** Whether a training set holds pictures that nobody labelled. */
  background: boolean;
}

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
  startTally: (outline: Outline) => Tally;
  /** Counts an item and what the format holds of its results, as `write` does. */
  count: (item: SelectedItem, results: readonly SelectedResult[], outline: Outline, tally: Tally) => void;
  /** What `write` makes of one item, which `content` selects alone; `tally` counted all that the export selects. */
  show: (content: ExportContent, item: SelectedItem, outline: Outline, tally: Tally) => Promise<TextFile[]>;
}
