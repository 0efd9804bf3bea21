"use client";

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { bracketMatching, indentOnInput, syntaxTree } from "@codemirror/language";
import { forceLinting, linter, lintGutter, type Diagnostic } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { useLatest } from "@/components/kit/latest";
import { pageNonce } from "@/components/kit/nonce";
import type { Issue, Path } from "@/domain/issues";

export interface JsonEditorProps {
  value: object;
  /** Called with what was written once it is JSON. */
  onChange: (value: unknown) => void;
  /** What is wrong with it, by place. */
  issues: readonly Issue[];
  /** What the text is, for screen readers: "Rule as JSON". */
  label: string;
  /** Called with everything that is wrong, in the order of lines, counted from 1. */
  onFaults?: (faults: readonly JsonFault[]) => void;
}

export interface JsonFault {
  line: number;
  message: string;
}

const pretty = (value: object): string => JSON.stringify(value, null, 2);

/** The position of a part of the value in the text; the beginning of the text when it is not found. */
function findRange(view: EditorView, path: Path): { from: number; to: number } {
  let node = syntaxTree(view.state).topNode.firstChild;
  for (const step of path) {
    if (!node) break;
    if (node.name === "Object") {
      const property = node.getChildren("Property").find((each) => {
        const name = each.getChild("PropertyName");
        return name && view.state.sliceDoc(name.from + 1, name.to - 1) === step;
      });
      node = property?.lastChild ?? null;
    } else if (node.name === "Array") {
      const items: (typeof node)[] = [];
      for (let child = node.firstChild; child; child = child.nextSibling)
        if (!["[", "]", ","].includes(child.name)) items.push(child);
      node = items[Number(step)] ?? null;
    } else node = null;
  }
  return node ? { from: node.from, to: node.to } : { from: 0, to: Math.min(1, view.state.doc.length) };
}

const theme = EditorView.theme({
  "&": {
    minHeight: "15rem",
    fontSize: "12px",
    backgroundColor: "var(--background)",
    color: "var(--foreground)",
    borderRadius: "6px",
    border: "1px solid var(--border-strong)",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "2px" },
  ".cm-content": { fontFamily: "var(--font-mono, monospace)", caretColor: "var(--foreground)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--subtle)", border: "none" },
  ".cm-cursor": { borderLeftColor: "var(--foreground)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selected)" },
});

/** A value as JSON, the same that is saved; what is wrong is marked at its line. */
export default function JsonEditor({ value, onChange, issues, label, onFaults }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const written = useRef(pretty(value));
  const latestIssues = useRef(issues);
  const report = useLatest(onChange);
  const tellFaults = useLatest((faults: readonly JsonFault[]) => onFaults?.(faults));

  useEffect(() => {
    const parse = jsonParseLinter();
    const find = (editor: EditorView): Diagnostic[] => {
      const faults = parse(editor).filter(({ from, to }) => to > from || editor.state.doc.length > 0);
      if (faults.length > 0) return faults;
      return latestIssues.current.map(({ path, message }) => ({
        ...findRange(editor, path),
        severity: "error" as const,
        message,
      }));
    };
    const check = (editor: EditorView): Diagnostic[] => {
      const found = find(editor);
      tellFaults(found.map(({ from, message }) => ({ line: editor.state.doc.lineAt(from).number, message })));
      return found;
    };
    const editor = new EditorView({
      parent: host.current ?? undefined,
      state: EditorState.create({
        doc: written.current,
        extensions: [
          lineNumbers(),
          history(),
          indentOnInput(),
          bracketMatching(),
          json(),
          lintGutter(),
          linter(check, { delay: 200 }),
          // Tab leaves the box, as it leaves any other.
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.lineWrapping,
          EditorView.cspNonce.of(pageNonce()),
          EditorView.contentAttributes.of({ "aria-label": label }),
          theme,
          EditorView.updateListener.of((update) => {
            if (!update.docChanged) return;
            const text = update.state.doc.toString();
            if (text === written.current) return;
            written.current = text;
            try {
              report(JSON.parse(text));
            } catch {
              // Marked by the linter; the form retains the last valid JSON.
            }
          }),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [report, tellFaults, label]);

  // A change made elsewhere replaces the text, unless it is equivalent.
  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    let same = false;
    try {
      same = JSON.stringify(JSON.parse(written.current)) === JSON.stringify(value);
    } catch {
      same = true; // Text that is being edited is not replaced.
    }
    if (same) return;
    written.current = pretty(value);
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: written.current } });
  }, [value]);

  useEffect(() => {
    latestIssues.current = issues;
    if (view.current) forceLinting(view.current);
  }, [issues]);

  return <div ref={host} className="min-h-60" />;
}
