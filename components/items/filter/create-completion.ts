import {
  acceptCompletion,
  autocompletion,
  closeCompletion,
  completionStatus,
  insertCompletionText,
  moveCompletionSelection,
  pickedCompletion,
  startCompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import type { EditorState, Extension } from "@codemirror/state";
import { EditorView, keymap, ViewPlugin, type PluginValue } from "@codemirror/view";
import { completeFilter } from "@/domain/items/filter-completion";
import { earlyTabs, forgetTabs, readFirstTab, rememberTab, takeFirstTab } from "./early-tab";
import { isOnlyAsked, suggest, type FetchVocabulary, type FilterSuggestion } from "./suggestions";

const toCompletion = ({ label, detail, before, after }: FilterSuggestion): Completion => ({
  label,
  ...(detail !== "" && { detail }),
  apply(view, completion, from, to) {
    // A blank that follows already is stepped over.
    const follows = view.state.sliceDoc(to, to + 1) === " " && before.endsWith(" ") && after === "";
    const text = follows ? before.slice(0, -1) : before;
    view.dispatch({
      ...insertCompletionText(view.state, text + after, from, to),
      selection: { anchor: from + before.length },
      annotations: pickedCompletion.of(completion),
    });
  },
});

interface Callbacks {
  /** Enter was pressed, and no Tab is left that would change the text. */
  run: () => void;
  vocabulary: FetchVocabulary;
}

/** Takes suggestions for the Tabs that came before them, one after another. */
class EarlyTabTaker implements PluginValue {
  private isBusy = false;
  private isOver = false;
  private runsAfter = false;

  constructor(
    private readonly view: EditorView,
    private readonly callbacks: Callbacks,
  ) {}

  /** Whether a Tab waits for its suggestions. */
  get waits(): boolean {
    return this.view.state.field(earlyTabs).length > 0;
  }

  /** `asked`: suggestions were asked for, not only typed for. */
  remember(asked: boolean): void {
    this.view.dispatch(rememberTab(this.view.state, asked));
    if (!this.isBusy) void this.takeAll();
  }

  /** Runs the filter once it is what the Tabs make of it. */
  run(): void {
    if (this.waits) this.runsAfter = true;
    else this.callbacks.run();
  }

  destroy(): void {
    this.isOver = true;
  }

  private async takeAll(): Promise<void> {
    this.isBusy = true;
    for (let tab = readFirstTab(this.view.state); tab; tab = readFirstTab(this.view.state)) {
      const { id, found, asked } = tab;
      const first = found ? (await suggest(found, asked, this.callbacks.vocabulary)).at(0) : undefined;
      if (this.isOver) return;
      // Another Tab elsewhere, or another text, may have taken its place meanwhile.
      if (readFirstTab(this.view.state)?.id !== id) continue;
      const taken = takeFirstTab(this.view.state, found, first);
      this.view.dispatch({ ...taken, ...(first && { annotations: pickedCompletion.of(toCompletion(first)) }) });
    }
    this.isBusy = false;
    if (this.runsAfter) this.callbacks.run();
    this.runsAfter = false;
  }
}

/** Completes a filter while it is typed; also what Tab, Enter and Escape do about it. */
export function createCompletion(callbacks: Callbacks): Extension {
  const { vocabulary } = callbacks;
  const takers = ViewPlugin.define((view) => new EarlyTabTaker(view, callbacks));
  const complete = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const found = completeFilter(context.state.doc.toString(), context.pos);
    if (!found) return null;
    const options = await suggest(found, context.explicit, vocabulary);
    if (options.length === 0) return null;
    return { from: found.from, to: found.to, options: options.map(toCompletion), filter: false };
  };
  // Enter runs the filter, except where somebody went to a suggestion with the arrows.
  let chosen = false;
  const choose = (forward: boolean) => (view: EditorView) => {
    if (completionStatus(view.state) !== "active") return false;
    chosen = true;
    return moveCompletionSelection(forward)(view);
  };
  const enter = (view: EditorView) => {
    if (chosen && acceptCompletion(view)) return true;
    closeCompletion(view);
    view.plugin(takers)?.run();
    return true;
  };
  // A Tab that comes before the suggestions do is kept for the text that it was pressed on, and does not leave the box.
  let asked = false;
  const ask = (view: EditorView) => {
    asked = true;
    return startCompletion(view);
  };
  const maySuggest = ({ doc, selection }: EditorState) => {
    const found = completeFilter(doc.toString(), selection.main.head);
    return found !== null && (asked || !isOnlyAsked(found));
  };
  const tab = (view: EditorView) => {
    const taker = view.plugin(takers);
    if (!taker || (!taker.waits && acceptCompletion(view))) return taker !== null;
    if (!taker.waits && (completionStatus(view.state) !== "pending" || !maySuggest(view.state))) return false;
    taker.remember(asked);
    return true;
  };
  const leave = (view: EditorView) => {
    if (view.plugin(takers)?.waits) view.dispatch(forgetTabs());
    else if (!closeCompletion(view)) view.contentDOM.blur();
    return true;
  };
  return [
    autocompletion({
      override: [complete],
      defaultKeymap: false,
      icons: false,
      interactionDelay: 0,
      activateOnCompletion: () => true,
    }),
    earlyTabs,
    takers,
    EditorView.updateListener.of(({ docChanged, selectionSet }) => {
      if (docChanged) chosen = false;
      if (docChanged || selectionSet) asked = false;
    }),
    keymap.of([
      { key: "Ctrl-Space", run: ask },
      { key: "ArrowDown", run: choose(true) },
      { key: "ArrowUp", run: choose(false) },
      { key: "Tab", run: tab },
      { key: "Enter", run: enter },
      { key: "Mod-Enter", run: enter },
      { key: "Escape", run: leave, stopPropagation: true },
    ]),
  ];
}
