"use client";

import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type CompletionContext,
  type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorState, Prec, type Extension } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  keymap,
  lineNumbers,
  MatchDecorator,
  placeholder,
  ViewPlugin,
  type DecorationSet,
} from "@codemirror/view";
import { useEffect, useImperativeHandle, useRef, type Ref } from "react";
import { completionStyles } from "@/components/kit/completion-styles";
import { useLatest } from "@/components/kit/latest";
import { pageNonce } from "@/components/kit/nonce";
import { completeNames } from "./completion";
import type { Place } from "./error-place";
import type { Table } from "./query";

/** What the rest of the page does with the editor. */
export interface SqlEditorHandle {
  /** Writes a text in place of the selection, or `first` where there is none at all, and takes the focus. */
  insert: (text: string, first?: string) => void;
  focus: () => void;
}

export interface SqlEditorProps {
  ref?: Ref<SqlEditorHandle>;
  /** Called once, when the handle can be used. */
  onReady: () => void;
  value: string;
  onChange: (value: string) => void;
  onRun: () => void;
  /** Ends the query that runs; false where none does, and Escape then does what it does elsewhere. */
  onCancel: () => boolean;
  tables: readonly Table[];
  /** What is wrong, and where; a message without a place is not marked. */
  error: { text: string; place: Place | null } | null;
  /** The id of what says what is wrong. */
  describedBy: string;
}

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "var(--background)", color: "var(--foreground)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--font-mono, monospace)", lineHeight: "20px" },
  ".cm-content": { caretColor: "var(--foreground)", padding: "8px 0" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--subtle)", border: "none" },
  ".cm-placeholder": { color: "var(--subtle)" },
  ".cm-cursor": { borderLeftColor: "var(--foreground)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selected)" },
  ".cm-sql-keyword": { fontWeight: "600" },
  ".cm-sql-comment": { color: "var(--subtle)" },
  ".cm-sql-text": { color: "var(--muted)" },
  ".cm-tooltip.cm-tooltip-lint": {
    border: "none",
    borderRadius: "6px",
    backgroundColor: "var(--raised)",
    color: "var(--foreground)",
    boxShadow: "var(--float-shadow)",
  },
  ...completionStyles,
});

const keywords =
  "all|and|anti|any|as|asc|asof|between|by|case|cast|cross|desc|describe|distinct|else|end|except|exists|false|filter|" +
  "first|following|from|full|group|having|in|inner|intersect|is|join|last|left|like|limit|natural|not|null|nulls|" +
  "offset|on|or|order|outer|over|partition|positional|preceding|qualify|range|right|rows|sample|select|semi|" +
  "summarize|then|true|unbounded|union|using|values|when|where|window|with";

const marks: Readonly<Record<string, Decoration>> = {
  "-": Decoration.mark({ class: "cm-sql-comment" }),
  "'": Decoration.mark({ class: "cm-sql-text" }),
};
const keyword = Decoration.mark({ class: "cm-sql-keyword" });

/** Sets keywords, texts and comments apart, line by line; names in quotes stay as they are. */
const matcher = new MatchDecorator({
  regexp: new RegExp(`--.*|'(?:[^']|'')*'?|"(?:[^"]|"")*"?|\\b(?:${keywords})\\b`, "gi"),
  decorate: (add, from, to, [text = ""]) => {
    if (!text.startsWith('"')) add(from, to, marks[text.charAt(0)] ?? keyword);
  },
});
const highlight = ViewPlugin.define<{ decorations: DecorationSet; update: (update: never) => void }>(
  (view) => ({
    decorations: matcher.createDeco(view),
    update(update) {
      this.decorations = matcher.updateDeco(update, this.decorations);
    },
  }),
  { decorations: ({ decorations }) => decorations },
);

function completion(tables: () => readonly Table[]): Extension {
  const complete = ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const found = completeNames(state.doc.toString(), pos, tables(), explicit);
    if (!found || found.options.length === 0) return null;
    const { from, to, options } = found;
    return { from, to, options };
  };
  return [
    autocompletion({ override: [complete], icons: false, interactionDelay: 0 }),
    keymap.of([{ key: "Tab", run: acceptCompletion }]),
  ];
}

/** The text of a query: names are completed while they are typed, and what the server refused is marked. */
export default function SqlEditor({ ref, value, error, describedBy, ...props }: SqlEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const initial = useRef(value);
  const report = useLatest(props.onChange);
  const run = useLatest(props.onRun);
  const cancel = useLatest(props.onCancel);
  const tables = useLatest(() => props.tables);

  useEffect(() => {
    const editor = new EditorView({
      parent: host.current ?? undefined,
      state: EditorState.create({
        doc: initial.current,
        selection: { anchor: initial.current.length },
        extensions: [
          Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }])),
          // An open list of names takes Escape first.
          completion(tables),
          keymap.of([{ key: "Escape", run: () => cancel() }]),
          lineNumbers(),
          lintGutter(),
          history(),
          bracketMatching(),
          closeBrackets(),
          EditorState.languageData.of(() => [{ closeBrackets: { brackets: ["(", "[", '"', "'"] } }]),
          // Tab leaves the box, as it leaves any other.
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap]),
          highlight,
          placeholder('select device_name, max(temperature) from "/motor/state" group by all'),
          EditorView.lineWrapping,
          EditorView.cspNonce.of(pageNonce()),
          EditorView.contentAttributes.of({ "aria-label": "SQL", "aria-describedby": describedBy }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) report(update.state.doc.toString());
          }),
          theme,
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [report, run, cancel, tables, describedBy]);

  // A query that was chosen elsewhere replaces the text.
  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const { length } = editor.state.doc;
    const place = error?.place;
    const found = error && place ? [{ ...place, severity: "error" as const, message: error.text }] : [];
    editor.dispatch(
      setDiagnostics(
        editor.state,
        found.filter(({ to }) => to <= length),
      ),
    );
    editor.contentDOM.setAttribute("aria-invalid", String(error !== null));
  }, [error]);

  useImperativeHandle(ref, () => ({
    insert: (text, first = text) => {
      const editor = view.current;
      if (!editor) return;
      const isEmpty = editor.state.doc.toString().trim() === "";
      editor.dispatch(editor.state.replaceSelection(isEmpty ? first : text));
      editor.focus();
    },
    focus: () => view.current?.focus(),
  }));

  const ready = useLatest(props.onReady);
  // After the effects above, which fill the editor.
  useEffect(() => ready(), [ready]);

  return <div ref={host} className="h-full min-w-0" />;
}
