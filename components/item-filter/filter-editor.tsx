"use client";

import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
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
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, keymap, placeholder, ViewPlugin, type DecorationSet } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { completionStyles } from "@/components/kit/completion-styles";
import { useLatest } from "@/components/kit/latest";
import { pageNonce } from "@/components/kit/nonce";
import { completeFilter } from "@/domain/slices/filter-completion";
import { readFilter } from "./read-filter";
import { suggest, type FetchVocabulary, type FilterSuggestion } from "./suggestions";

export interface FilterEditorProps {
  value: string;
  onChange: (value: string) => void;
  onRun: () => void;
  label: string;
  id: string;
  /** The id of what says what is wrong. */
  describedBy: string;
  invalid: boolean;
  vocabulary: FetchVocabulary;
  /** Takes the focus with this selected; null leaves the focus where it is. */
  focus: { from: number; to: number } | null;
}

const theme = EditorView.theme({
  "&": { fontSize: "13px", color: "var(--foreground)", backgroundColor: "transparent" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--font-mono, monospace)",
    lineHeight: "20px",
    maxHeight: "120px",
    overflowY: "auto",
  },
  ".cm-content": { padding: "0 0 2px", caretColor: "var(--foreground)" },
  ".cm-line": { padding: "0" },
  ".cm-placeholder": { color: "var(--subtle)" },
  ".cm-cursor": { borderLeftColor: "var(--foreground)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selected)" },
  ".cm-filter-fault": { textDecoration: "underline wavy var(--critical)", textUnderlineOffset: "1px" },
  ...completionStyles,
});

const mark = Decoration.mark({ class: "cm-filter-fault" });

function markFault(view: EditorView): DecorationSet {
  const { doc, selection } = view.state;
  const { fault } = readFilter(doc.toString());
  if (!fault || fault.to <= fault.from) return Decoration.none;
  // What is still being written is not wrong yet.
  if (fault.incomplete && view.hasFocus && selection.main.head >= fault.to) return Decoration.none;
  return Decoration.set(mark.range(fault.from, fault.to));
}

const faults = ViewPlugin.define(
  (view) => ({
    decorations: markFault(view),
    update(update) {
      if (update.docChanged || update.selectionSet || update.focusChanged) this.decorations = markFault(update.view);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);

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
  run: () => void;
  vocabulary: FetchVocabulary;
}

function completion({ run, vocabulary }: Callbacks): Extension {
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
    run();
    return true;
  };
  // Tab that comes before the suggestions do takes the first of them, and does not leave the box.
  let accepting = false;
  const tab = (view: EditorView) => {
    if (acceptCompletion(view)) return true;
    accepting = completionStatus(view.state) === "pending";
    return accepting;
  };
  const leave = (view: EditorView) => {
    if (!closeCompletion(view)) view.contentDOM.blur();
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
    EditorView.updateListener.of(({ docChanged, view, state }) => {
      if (docChanged) chosen = false;
      if (docChanged || completionStatus(state) === null) accepting = false;
      if (!accepting || completionStatus(state) !== "active") return;
      accepting = false;
      // An update cannot begin within another one.
      queueMicrotask(() => acceptCompletion(view));
    }),
    keymap.of([
      { key: "Ctrl-Space", run: startCompletion },
      { key: "ArrowDown", run: choose(true) },
      { key: "ArrowUp", run: choose(false) },
      { key: "Tab", run: tab },
      { key: "Enter", run: enter },
      { key: "Mod-Enter", run: enter },
      { key: "Escape", run: leave, stopPropagation: true },
    ]),
  ];
}

/** One line of text that grows to six; it never holds a line break. */
const oneLine: Extension = [
  EditorView.lineWrapping,
  EditorState.transactionFilter.of((transaction) =>
    transaction.docChanged && transaction.newDoc.lines > 1
      ? [transaction, { changes: lineBreaks(transaction.newDoc.toString()), sequential: true }]
      : transaction,
  ),
];

const lineBreaks = (text: string) =>
  [...text.matchAll(/\n/g)].map(({ index }) => ({ from: index, to: index + 1, insert: " " }));

/** The text of a filter, completed while it is typed, with a squiggle under what cannot be read. */
export default function FilterEditor(props: FilterEditorProps) {
  const { value, label, id, describedBy, invalid, focus } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const initial = useRef({ value, focus });
  const report = useLatest(props.onChange);
  const run = useLatest(props.onRun);
  const vocabulary = useLatest(props.vocabulary);

  useEffect(() => {
    const editor = new EditorView({
      parent: host.current ?? undefined,
      state: EditorState.create({
        doc: initial.current.value,
        selection: { anchor: initial.current.value.length },
        extensions: [
          completion({ run, vocabulary }),
          history(),
          closeBrackets(),
          EditorState.languageData.of(() => [{ closeBrackets: { brackets: ["(", '"', "'"] } }]),
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
          oneLine,
          faults,
          // Short, so that it is one line where the box is narrow, as what stands there before the editor is loaded.
          placeholder("metadata.width >= 1280"),
          EditorView.cspNonce.of(pageNonce()),
          EditorView.contentAttributes.of({ "aria-label": label, id, "aria-describedby": describedBy }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) report(update.state.doc.toString());
          }),
          theme,
        ],
      }),
    });
    view.current = editor;
    if (initial.current.focus) {
      const { from, to } = initial.current.focus;
      editor.dispatch({ selection: { anchor: from, head: to } });
      editor.focus();
    }
    return () => editor.destroy();
  }, [report, run, vocabulary, label, id, describedBy]);

  // A filter that was changed elsewhere replaces the text.
  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    view.current?.contentDOM.setAttribute("aria-invalid", String(invalid));
  }, [invalid]);

  return <div ref={host} className="min-w-0 flex-1" />;
}
