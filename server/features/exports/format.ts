import type { ExportContents } from "@/domain/exports/schema";
import type { Classes } from "@/server/features/exports/class-numbers";
import type {
  SelectedDataset,
  SelectedItem,
  SelectedResult,
  TrainingSelection,
} from "@/server/features/exports/selection-queries";
import type { SplitPlan } from "@/server/features/exports/split-queries";
import type { Steps } from "@/server/features/exports/steps";
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

/** What a plan is made of. */
export interface Planned {
  ctx: Ctx;
  selection: TrainingSelection;
  datasets: readonly SelectedDataset[];
  classes: Classes;
}

/** What is known of an export before its items are read. */
export interface Outline extends Plan {
  classes: Classes;
  /** Whether a training set holds pictures that nobody labelled. */
  background: boolean;
}

/** What only some formats need to know, and what takes a look at every item. */
export interface Plan {
  /** Null where no parts are planned: then everything is in train. */
  split: SplitPlan | null;
  /** How many points each skeleton of the file has; null where that is not known. */
  points: number | null;
}
export const noPlan: Plan = { split: null, points: null };

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
  /** Looks at all items once for what the format needs to know of them before. */
  plan?: (content: Planned) => Promise<Plan>;
  /** Why classes cannot be exported in this format, as a sentence for people; null where they can. */
  refuse?: (classes: Classes) => string | null;
  startTally: (outline: Outline) => Tally;
  /** Counts an item and what the format holds of its results, as `write` does, in steps; makes nothing of it. */
  count: (item: SelectedItem, results: readonly SelectedResult[], outline: Outline, tally: Tally) => Steps<void>;
  /**
   * What `write` makes of one item, which `content` selects alone and which is small enough to be shown; `tally` counted all that
   * the export selects.
   */
  show: (content: ExportContent, item: SelectedItem, outline: Outline, tally: Tally) => Promise<TextFile[]>;
}
