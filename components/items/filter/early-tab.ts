import { EditorSelection, StateEffect, StateField, type EditorState, type TransactionSpec } from "@codemirror/state";
import { completeFilter, type Completion } from "@/domain/items/filter-completion";
import { scanFilter } from "@/domain/items/filter-tokens";
import type { FilterSuggestion } from "./suggestions";

/** A Tab that came before the suggestions did: it takes the first of them for the text that it was pressed on. */
interface EarlyTab {
  id: number;
  /** Suggestions were asked for, not only typed for. */
  asked: boolean;
  /** Where it was pressed; what was typed since stands between here and `to`. */
  from: number;
  to: number;
}

const press = StateEffect.define<EarlyTab>();
const forget = StateEffect.define();
const take = StateEffect.define<(at: number) => number>();

/** The Tabs that wait for their suggestions, first come first. */
export const earlyTabs = StateField.define<readonly EarlyTab[]>({
  create: () => [],
  update(tabs, transaction) {
    const taken = transaction.effects.find((effect) => effect.is(take))?.value;
    if (taken) return tabs.slice(1).map((tab) => ({ ...tab, from: taken(tab.from), to: taken(tab.to) }));
    let kept = tabs;
    if (transaction.docChanged && kept.length > 0) {
      let first = Number.POSITIVE_INFINITY;
      transaction.changes.iterChangedRanges((from) => (first = Math.min(first, from)));
      // A Tab on a text that is not there any more means nothing.
      const isTyped = transaction.isUserEvent("input") || transaction.isUserEvent("delete");
      const gone = isTyped ? kept.findIndex(({ from }) => first < from) : 0;
      kept = (gone === -1 ? kept : kept.slice(0, gone)).map((tab) => ({
        ...tab,
        from: transaction.changes.mapPos(tab.from, -1),
        to: transaction.changes.mapPos(tab.to, 1),
      }));
    }
    for (const effect of transaction.effects) {
      if (effect.is(forget)) kept = [];
      if (!effect.is(press)) continue;
      const { from } = effect.value;
      const last = kept.at(-1);
      // Elsewhere somebody means another place, and no longer the one before.
      const follows = last !== undefined && from >= last.from && from <= last.to;
      kept = [...(follows ? kept : []), effect.value];
    }
    return kept;
  },
});

let lastId = 0;

/** Remembers a Tab at the caret. */
export function rememberTab(state: EditorState, asked = false): TransactionSpec {
  lastId += 1;
  const { head } = state.selection.main;
  return { effects: press.of({ id: lastId, asked, from: head, to: head }) };
}

/** Forgets the Tabs that wait. */
export const forgetTabs = (): TransactionSpec => ({ effects: forget.of(null) });

/** The first Tab that waits, and what could stand there, read without what was typed since; null where none waits. */
export function readFirstTab(
  state: EditorState,
): (Pick<EarlyTab, "id" | "asked"> & { found: Completion | null }) | null {
  const tab = state.field(earlyTabs).at(0);
  if (!tab) return null;
  const source = state.sliceDoc(0, tab.from) + state.sliceDoc(tab.to);
  return { id: tab.id, asked: tab.asked, found: completeFilter(source, tab.from) };
}

/** Whether a text closes a parenthesis that it did not open. */
function closesMore(text: string): boolean {
  let depth = 0;
  for (const { kind } of scanFilter(text).tokens) {
    if (kind === "(") depth += 1;
    if (kind === ")") depth -= 1;
    if (depth < 0) return true;
  }
  return false;
}

/** The suggestion without what was typed after the Tab already: a blank, or a parenthesis. */
function withoutTyped({ before, after }: FilterSuggestion, typed: string): { before: string; after: string } {
  if (before.endsWith("(") && typed.trimStart().startsWith("("))
    return { before: before.slice(0, typed.startsWith(" ") ? -2 : -1), after: "" };
  if (before.endsWith(" ") && typed.startsWith(" ")) return { before: before.slice(0, -1), after };
  return { before, after: closesMore(typed) ? "" : after };
}

/** Puts a suggestion where the first Tab was pressed, and keeps what was typed since behind it; null forgets the Tab. */
export function takeFirstTab(
  state: EditorState,
  found: Completion | null,
  suggestion: FilterSuggestion | undefined,
): TransactionSpec {
  const [tab, next] = state.field(earlyTabs);
  if (!tab) return {};
  if (!found || !suggestion) return { effects: take.of((at) => at) };
  const end = Math.min(tab.to, next?.from ?? tab.to);
  const typed = state.sliceDoc(tab.from, end);
  // What followed the caret in the same word is replaced with it.
  const restEnd = tab.to + (found.to - tab.from);
  const { before, after } = withoutTyped(suggestion, typed === "" ? state.sliceDoc(restEnd, restEnd + 1) : typed);
  const changes = state.changes([
    { from: found.from, to: tab.from, insert: before },
    { from: end, insert: after },
    { from: tab.to, to: restEnd },
  ]);
  const longer = before.length - (tab.from - found.from);
  const move = (at: number) => (at > end ? at + longer + after.length : at + longer);
  const { head } = state.selection.main;
  // A blank that follows already is stepped over.
  const isStepped = typed === "" && before.length < suggestion.before.length;
  const caret = head < tab.from || head > end ? changes.mapPos(head, 1) : move(head) + (isStepped ? 1 : 0);
  return { changes, selection: EditorSelection.cursor(caret), effects: take.of(move), userEvent: "input.complete" };
}
