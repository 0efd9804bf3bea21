"use client";

import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { EditorState, type Extension } from "@codemirror/state";
import { Decoration, EditorView, keymap, placeholder, ViewPlugin, type DecorationSet } from "@codemirror/view";
import { useEffect, useRef, useState } from "react";
import { completionStyles } from "@/components/kit/completion-styles";
import { useLatest } from "@/components/kit/latest";
import { pageNonce } from "@/components/kit/nonce";
import { createCompletion } from "./create-completion";
import { readFilter } from "./read-filter";
import type { FetchVocabulary } from "./suggestions";

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
  const [runs, setRuns] = useState(0);
  const run = useLatest(props.onRun);
  const vocabulary = useLatest(props.vocabulary);

  useEffect(() => {
    const editor = new EditorView({
      parent: host.current ?? undefined,
      state: EditorState.create({
        doc: initial.current.value,
        selection: { anchor: initial.current.value.length },
        extensions: [
          createCompletion({ run: () => setRuns((count) => count + 1), vocabulary }),
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
  }, [report, vocabulary, label, id, describedBy]);

  // Once the text that was reported before it is drawn, so that this text is what runs.
  useEffect(() => {
    if (runs > 0) run();
  }, [runs, run]);

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
