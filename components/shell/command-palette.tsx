"use client";

import { Dialog } from "@base-ui/react/dialog";
import { Command } from "cmdk";
import { RotateCcw, Search } from "lucide-react";
import { useRouter } from "next/navigation";
import { useEffect, useState, type ReactNode } from "react";
import { cn } from "@/components/kit/cn";
import { KeyHint } from "@/components/kit/kbd";
import { leave } from "@/components/kit/leaving";
import { useTimeZone } from "@/components/kit/preferences-provider";
import { readFailure } from "@/components/product/failure";
import { readTyped, stopKeeping } from "./early-typing";
import { navigation, profileHref } from "./navigation";

export interface PaletteItem {
  key: string;
  label: string;
  hint?: string;
  icon?: ReactNode;
  keys?: string;
  keywords?: string;
  href?: string;
  onSelect?: () => void;
  /** Why the person may not do it; it is listed with the reason and does nothing. */
  disabledReason?: string | undefined;
}

interface SearchContext {
  signal: AbortSignal;
  /** The zone in which the person reads and types times. */
  zone: string;
}

export interface PaletteSearch {
  heading: string;
  /** What it looks for, where its heading does not say it: "Recordings". */
  noun?: string;
  /** Called 150 ms after the last key with at least one character; may be aborted. */
  search: (text: string, context: SearchContext) => Promise<PaletteItem[]>;
}

const matches = (item: PaletteItem, text: string) => {
  const terms = `${item.label} ${item.keywords ?? ""}`.toLowerCase().split(/\s+/);
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((part) => terms.some((term) => term.startsWith(part)));
};

const pages: PaletteItem[] = [
  ...navigation.flatMap((group) =>
    group.items.map((item) => ({
      key: item.href,
      label: item.label,
      hint: group.heading,
      icon: <item.icon aria-hidden strokeWidth={1.75} />,
      keys: item.keys,
      keywords: item.keywords,
      href: item.href,
    })),
  ),
  { key: profileHref, label: "Profile", hint: "Settings", keywords: "account password name", href: profileHref },
];

interface Found {
  text: string;
  groups: { heading: string; items: PaletteItem[] }[];
  /** What could not be searched, and why. */
  failed: { nouns: string[]; error: unknown } | null;
}

const nothing: Found = { text: "", groups: [], failed: null };

function useSearches(searches: readonly PaletteSearch[], text: string) {
  const [found, setFound] = useState(nothing);
  const [attempt, setAttempt] = useState(0);
  const { zone } = useTimeZone();
  useEffect(() => {
    if (text === "") return;
    const abort = new AbortController();
    const search = async () => {
      const results = await Promise.allSettled(
        searches.map((each) => each.search(text, { signal: abort.signal, zone })),
      );
      if (abort.signal.aborted) return;
      const groups = results.map((response, at) => ({
        heading: searches[at]?.heading ?? "",
        items: response.status === "fulfilled" ? response.value : [],
      }));
      const failures = results.flatMap((response, at) =>
        response.status === "rejected"
          ? [{ noun: searches[at]?.noun ?? searches[at]?.heading ?? "", error: response.reason as unknown }]
          : [],
      );
      const failed =
        failures.length > 0
          ? { nouns: [...new Set(failures.map(({ noun }) => noun))], error: failures[0]?.error }
          : null;
      setFound({ text, groups, failed });
    };
    const timer = setTimeout(() => void search(), 150);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [searches, text, zone, attempt]);
  // Old results stay until the new ones are there, except for an emptied box.
  return {
    found: text === "" ? nothing : found,
    searching: text !== "" && found.text !== text && searches.length > 0,
    retry: () => {
      setFound((before) => ({ ...before, text: "", failed: null }));
      setAttempt((before) => before + 1);
    },
  };
}

export interface CommandPaletteProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  actions: readonly PaletteItem[];
  /** Keep the array stable. */
  searches: readonly PaletteSearch[];
}

/** Cmd/Ctrl+K: go to pages and things by name, run actions. */
export function CommandPalette({ open, onOpenChange, actions, searches }: CommandPaletteProps) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-scrim transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Popup className="fixed top-[12dvh] left-1/2 z-40 w-150 max-w-[calc(100vw-1.5rem)] -translate-x-1/2 overflow-hidden rounded-panel bg-raised shadow-float outline-none transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0">
          <Dialog.Title className="sr-only">Search and commands</Dialog.Title>
          <Palette close={() => onOpenChange(false)} actions={actions} searches={searches} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** "Devices", "Devices and rules", "Devices, rules and alerts" */
function joinNouns(nouns: readonly string[]): string {
  const [first = "", ...rest] = nouns.map((noun, at) => (at === 0 ? noun : noun.toLowerCase()));
  const last = rest.pop();
  return last === undefined ? first : `${[first, ...rest].join(", ")} and ${last}`;
}

/** What could not be searched, and the way to try again, which is the first to be chosen only where it is alone. */
function SearchFailure({ failed, onRetry }: { failed: NonNullable<Found["failed"]>; onRetry: () => void }) {
  const { detail, retryAfter } = readFailure(failed.error);
  const when = retryAfter ? ` Try again in ${retryAfter} s.` : "";
  return (
    <>
      <p role="status" className="px-2 pt-2 pb-1 text-table text-muted">
        {joinNouns(failed.nouns)} could not be searched. {detail}
        {when}
      </p>
      <Command.Item value="search again" onSelect={onRetry} className={itemStyles}>
        <RotateCcw aria-hidden />
        Retry
      </Command.Item>
    </>
  );
}

const itemStyles =
  "flex h-9 cursor-default items-center gap-2.5 rounded-control px-2 text-table select-none data-[selected=true]:bg-selected [&_svg]:size-4 [&_svg]:shrink-0 [&>svg]:text-subtle";

function Palette(props: { close: () => void; actions: readonly PaletteItem[]; searches: readonly PaletteSearch[] }) {
  const { close, actions, searches } = props;
  const router = useRouter();
  const [text, setText] = useState(readTyped);
  useEffect(stopKeeping, []);
  const trimmed = text.trim();
  const { found, searching, retry } = useSearches(searches, trimmed);
  const failed = searching ? null : found.failed;
  const groups = [
    ...found.groups,
    { heading: "Go to", items: pages.filter((item) => matches(item, trimmed)) },
    { heading: "Actions", items: actions.filter((item) => matches(item, trimmed)) },
  ].filter((group) => group.items.length > 0);

  // Results that arrive late are listed first, and Enter should pick the first of them.
  const first = groups[0]?.items[0]?.key ?? (failed ? "search again" : "");
  const [moved, setMoved] = useState({ first: "", value: "" });
  const highlighted = moved.first === first ? moved.value : first;

  const run = (item: PaletteItem) => {
    if (item.disabledReason !== undefined) return;
    close();
    const { href } = item;
    if (href !== undefined) leave(() => router.push(href));
    item.onSelect?.();
  };

  return (
    <Command
      label="Search and commands"
      shouldFilter={false}
      loop
      value={highlighted}
      onValueChange={(value) => setMoved({ first, value })}
    >
      <div className="flex h-12 items-center gap-3 border-b px-4">
        <Search aria-hidden className={cn("size-4 shrink-0 text-subtle", searching && "animate-pulse")} />
        <Command.Input
          autoFocus
          value={text}
          onValueChange={setText}
          placeholder={
            searches.length > 0
              ? "Go to a device, recording, rule, alert, page or “arm c1 tue 14:10”"
              : "Go to a page or an action"
          }
          className="h-full min-w-0 flex-1 bg-transparent text-body outline-none"
        />
        <KeyHint keys="escape" />
      </div>
      <Command.List className="max-h-[min(26rem,60dvh)] overflow-y-auto p-1.5">
        {failed && <SearchFailure failed={failed} onRetry={retry} />}
        {groups.length === 0 && !failed && (
          <p role="status" className="px-3 py-8 text-center text-table text-subtle">
            {searching ? "Searching…" : `Nothing found for “${trimmed}”`}
          </p>
        )}
        {groups.map((group) => (
          <Command.Group
            key={group.heading}
            heading={group.heading}
            className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-meta [&_[cmdk-group-heading]]:text-subtle"
          >
            {group.items.map((item) => (
              <Command.Item key={item.key} value={item.key} onSelect={() => run(item)} className={itemStyles}>
                {item.icon}
                <span className={cn("truncate", item.disabledReason !== undefined && "text-subtle")}>{item.label}</span>
                {(item.disabledReason ?? item.hint) && (
                  <span className="truncate text-meta text-subtle">{item.disabledReason ?? item.hint}</span>
                )}
                {item.keys && (
                  <span className="ml-auto">
                    <KeyHint keys={item.keys} />
                  </span>
                )}
              </Command.Item>
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  );
}
