"use client";

import { Eye, Search } from "lucide-react";
import Link from "next/link";
import { usePathname, useRouter } from "next/navigation";
import { Suspense, useEffect, useState, type ReactNode } from "react";
import { Badge } from "@/components/kit/badge";
import { Button } from "@/components/kit/button";
import { IconButton } from "@/components/kit/icon-button";
import { KeyHint } from "@/components/kit/kbd";
import { lazyDialog } from "@/components/kit/lazy-dialog";
import { leave, useLinksLeave } from "@/components/kit/leaving";
import { usePreference, useTheme, useTimeZone } from "@/components/kit/preferences-provider";
import { useShortcuts, type Shortcut } from "@/components/kit/shortcuts";
import type { PaletteItem, PaletteSearch } from "./command-palette";
import { keepTyping, stopKeeping } from "./early-typing";
import { Mark } from "./mark";
import { navigation } from "./navigation";
import { OrganizationSwitcher, type OrganizationSwitcherProps } from "./organization-switcher";
import { Rail } from "./rail";
import { RailSheet } from "./rail-sheet";
import { Unreachable } from "./unreachable";
import { ThemeMenu, UserMenu, zonePhrase, ZoneToggle, type ShellUser } from "./user-menu";

const CommandPalette = lazyDialog(async () => (await import("./command-palette")).CommandPalette);
const CheatSheet = lazyDialog(async () => (await import("./cheat-sheet")).CheatSheet);

/** Loads what shortcuts open before they are pressed; without a connection it is loaded when it is opened. */
function preload(): void {
  CommandPalette.preload();
  CheatSheet.preload();
}

export interface ShellProps {
  user: ShellUser;
  /** Shows that the person can change nothing here. */
  viewOnly?: boolean;
  organizations: OrganizationSwitcherProps;
  onSignOut: () => void;
  /** Things found by name in the palette, such as devices; keep the array stable. */
  searches?: readonly PaletteSearch[];
  /** Actions in the palette beside the shell's own, such as "Register device". */
  actions?: readonly PaletteItem[];
  /** Chooses what every page shows, in the top bar and on phones in the navigation. */
  choice?: ReactNode;
  /** Notifications in the top bar. */
  bell?: ReactNode;
  /** Counts in the rail by href. */
  badges?: Readonly<Record<string, ReactNode>>;
  /** A line above the page: a stale stream, an incident. */
  banner?: ReactNode;
  children: ReactNode;
}

/** Whoever works on a picture or looks at a recording needs the room; the choice there is one of its own. */
const stages = /^\/(tasks|recordings)\/./;

const noSearches: readonly PaletteSearch[] = [];

/**
 * The frame of every signed-in page: rail, top bar, palette, shortcuts. The page inside is a flex column that fills it.
 */
export function Shell(props: ShellProps) {
  const {
    user,
    organizations,
    onSignOut,
    searches = noSearches,
    actions = [],
    badges,
    banner,
    choice,
    bell,
    children,
    viewOnly,
  } = props;
  const router = useRouter();
  const isStage = stages.test(usePathname());
  const [rail, setRail] = usePreference(isStage ? "rail.stage" : "rail", isStage ? "collapsed" : "open");
  const [theme, setTheme] = useTheme();
  const { next: nextZone, setMode: setZone } = useTimeZone();
  const [palette, setPalette] = useState(false);
  const showPalette = (open: boolean) => {
    if (open) keepTyping();
    else stopKeeping();
    setPalette(open);
  };
  const [cheatSheet, setCheatSheet] = useState(false);
  // Only after the navigation, so that what is typed right after the shortcut is not lost.
  useEffect(() => {
    const timer = setTimeout(preload, 2_000);
    return () => clearTimeout(timer);
  }, []);
  useLinksLeave();
  const collapsed = rail === "collapsed";
  const toggleRail = () => setRail(collapsed ? "open" : "collapsed");

  const goTo: Shortcut[] = navigation.flatMap((group) =>
    group.items.flatMap((item) =>
      item.keys
        ? [{ keys: item.keys, label: item.label, group: "Go to", run: () => leave(() => router.push(item.href)) }]
        : [],
    ),
  );
  useShortcuts([
    {
      keys: "mod+k",
      label: "Search and commands",
      group: "Anywhere",
      everywhere: true,
      run: () => showPalette(!palette),
    },
    { keys: "?", label: "Keyboard shortcuts", group: "Anywhere", run: () => setCheatSheet(true) },
    { keys: "[", label: "Collapse or expand navigation", group: "Anywhere", run: toggleRail },
    ...goTo,
  ]);

  const ownActions: PaletteItem[] = [
    ...actions,
    {
      key: "zone",
      label: nextZone.mode === "utc" ? "Show times in UTC" : `Show ${zonePhrase(nextZone)}`,
      keywords: "time zone",
      onSelect: () => setZone(nextZone.mode),
    },
    ...(["light", "dark", "system"] as const)
      .filter((each) => each !== theme)
      .map((each) => ({
        key: `theme-${each}`,
        label: `Use ${each} theme`,
        keywords: "dark mode colour",
        onSelect: () => setTheme(each),
      })),
    { key: "shortcuts", label: "Show keyboard shortcuts", keys: "?", onSelect: () => setCheatSheet(true) },
    { key: "sign-out", label: "Sign out", onSelect: onSignOut },
  ];

  return (
    <div className="flex h-dvh flex-col overflow-clip">
      <a
        href="#main"
        className="absolute top-2 left-2 z-60 rounded-panel bg-accent px-3 py-1.5 text-accent-foreground not-focus:sr-only"
      >
        Skip to content
      </a>
      <header className="flex h-12 shrink-0 items-center gap-1 border-b bg-background px-4">
        <RailSheet badges={badges} choice={choice} />
        <Link href="/" prefetch={false} aria-label="Muster, home" className="rounded-control p-0.5 max-md:hidden">
          <Mark />
        </Link>
        <span aria-hidden className="ml-2 h-4 border-l border-border-strong max-md:hidden" />
        <OrganizationSwitcher {...organizations} />
        {viewOnly && (
          <Badge className="shrink-0">
            <Eye aria-hidden className="size-3.5 sm:hidden" />
            <span className="max-sm:sr-only">View only</span>
          </Badge>
        )}
        <div className="flex flex-1 justify-end md:justify-center">
          <Button
            onClick={() => showPalette(true)}
            onPointerEnter={preload}
            aria-keyshortcuts="Control+K Meta+K"
            className="w-full max-w-90 justify-between border-border bg-surface font-normal text-subtle max-md:hidden"
          >
            <span className="flex items-center gap-2">
              <Search aria-hidden className="size-3.5!" />
              Search
            </span>
            <KeyHint keys="mod+k" decorative />
          </Button>
          <IconButton
            label="Search and commands"
            icon={<Search aria-hidden />}
            onClick={() => showPalette(true)}
            className="md:hidden"
          />
        </div>
        {choice && <div className="shrink-0 px-2 max-md:hidden">{choice}</div>}
        <ZoneToggle />
        <ThemeMenu />
        {bell}
        <span className="w-1" />
        <UserMenu user={user} onSignOut={onSignOut} onShowShortcuts={() => setCheatSheet(true)} />
      </header>
      <div className="flex min-h-0 flex-1">
        <Rail collapsed={collapsed} onToggle={toggleRail} badges={badges} />
        <main id="main" tabIndex={-1} className="relative flex min-w-0 flex-1 flex-col bg-surface outline-none">
          {banner}
          <Unreachable>{children}</Unreachable>
        </main>
      </div>
      <Suspense>
        {palette && <CommandPalette open onOpenChange={showPalette} actions={ownActions} searches={searches} />}
        {cheatSheet && <CheatSheet open onOpenChange={setCheatSheet} />}
      </Suspense>
    </div>
  );
}
