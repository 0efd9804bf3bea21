"use client";

import { focusSoon } from "@/components/kit/focus-soon";
import { useShortcuts, type Shortcut } from "@/components/kit/shortcuts";
import { refuseShortcut, usePermissions } from "@/components/product/permissions";
import { toTarget, type InboxRow } from "./inbox-rows";
import type { Target } from "./query";
import type { Triage } from "./triage";

const wait = (frames: number, then: () => void): void =>
  void requestAnimationFrame(() => (frames > 1 ? wait(frames - 1, then) : then()));

/** Focuses the comment box once its drawer is rendered. */
export function focusComment(attempts = 30): void {
  const box = document.querySelector<HTMLElement>("[data-comment-box]");
  if (box) box.focus();
  else if (attempts > 0) wait(2, () => focusComment(attempts - 1));
}

/** The list's current row: the drawer's, else the focused one. */
const currentKey = (selected: string | null): string | null =>
  selected ?? document.querySelector<HTMLElement>("tr[data-row][tabindex='0']")?.dataset.row ?? null;

const listedRows = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("tr[data-row]")];

const focusRow = (key: string): void =>
  focusSoon(() => document.querySelector<HTMLElement>(`tr[data-row="${CSS.escape(key)}"]`));

/**
 * The triage keys: a r s i c u n p on the row of the open drawer, or the focused one. After an action
 * the next row is the current one, so that a list is worked through without a pointer.
 */
export function useTriageKeys(options: {
  /** The row that a drawer or the pane shows. */
  selected: () => string | null;
  setSelected: (key: string | null) => void;
  /** It is shown beside the list, groups as well, and the focus is in the list. */
  beside: boolean;
  rows: () => readonly InboxRow[] | undefined;
  triage: () => Triage;
}) {
  const { setSelected, beside } = options;

  const current = (): InboxRow | undefined => {
    const key = currentKey(options.selected());
    return options.rows()?.find((row) => row.key === key);
  };
  const canBeShown = (row: InboxRow) => (beside ? toTarget(row) !== null : row.kind === "alert");
  const show = (key: string) => {
    setSelected(key);
    if (beside) focusRow(key);
  };
  const withTarget = (act: (target: Target, row: InboxRow) => void) => () => {
    const row = current();
    const target = row && toTarget(row);
    if (row && target) act(target, row);
  };
  const step = (by: 1 | -1) => () => {
    const selected = options.selected();
    const alerts = (options.rows() ?? []).filter(canBeShown);
    const at = alerts.findIndex((row) => row.key === currentKey(selected));
    // Without a drawer the first press opens the current row's.
    const next = selected === null && at >= 0 ? alerts[at] : alerts[at + by];
    if (next) show(next.key);
  };

  /** Moves on from rows that are about to leave. */
  const advance = (keys: readonly string[]) => {
    const selected = options.selected();
    const rows = (options.rows() ?? []).filter((row) => selected === null || canBeShown(row));
    const from = currentKey(selected);
    const at = rows.findIndex((row) => row.key === from);
    if (from === null || !keys.includes(from) || at < 0) return;
    const stays = (row: InboxRow) => !keys.includes(row.key);
    const next = rows.slice(at + 1).find(stays) ?? rows.slice(0, at).findLast(stays);
    if (selected === null) return next && focusRow(next.key);
    if (next) show(next.key);
    else setSelected(null);
  };
  /** Returns to the first of the rows that an undone step brought back. */
  const restore = (keys: readonly string[]) => {
    const [first] = keys;
    if (first === undefined) return;
    if (options.selected() !== null) show(first);
    else focusSoon(() => listedRows().find((row) => keys.includes(row.dataset.row ?? "")), 4);
  };
  const comment = (key: string) => {
    if (options.selected() !== key) setSelected(key);
    focusComment();
  };

  const reason = usePermissions().refusal();
  const group = "Triage";
  const steps: Shortcut[] = [
    {
      keys: "a",
      label: "Acknowledge",
      group,
      run: withTarget((target) => void options.triage().acknowledge([target])),
    },
    { keys: "r", label: "Resolve", group, run: withTarget((target) => options.triage().resolve([target])) },
    { keys: "s", label: "Silence", group, run: withTarget((target) => options.triage().silence([target])) },
    {
      keys: "i",
      label: "Assign to me",
      group,
      run: withTarget((target) => void options.triage().assign([target], "me")),
    },
    {
      keys: "c",
      label: "Comment",
      group,
      run: withTarget((target, row) => target.kind === "alert" && comment(row.key)),
    },
    { keys: "u", label: "Undo the last step", group, run: () => options.triage().undo() },
  ];
  useShortcuts([
    ...steps.map((each) => refuseShortcut(each, reason)),
    { keys: "n", label: "Next alert", group, run: step(1) },
    { keys: "p", label: "Previous alert", group, run: step(-1) },
  ]);
  return { advance, restore, comment };
}
