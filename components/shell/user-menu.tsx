"use client";

import { CircleUser, Keyboard, LogOut, Monitor, Moon, Sun } from "lucide-react";
import { Button } from "@/components/kit/button";
import { IconButton } from "@/components/kit/icon-button";
import { Menu } from "@/components/kit/menu";
import type { Theme } from "@/components/kit/preferences";
import { useTheme, useTimeZone, type ZoneMode } from "@/components/kit/preferences-provider";
import { Tooltip } from "@/components/kit/tooltip";
import { profileHref } from "./navigation";

export interface ShellUser {
  name: string;
  email: string;
}

const initials = (name: string) =>
  name
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? "")
    .join("") || "?";

/** Who is signed in; profile, shortcuts and sign-out behind it. */
export function UserMenu(props: { user: ShellUser; onSignOut: () => void; onShowShortcuts: () => void }) {
  const { user, onSignOut, onShowShortcuts } = props;
  return (
    <Menu
      className="min-w-56"
      header={
        <div className="border-b px-2 pt-1 pb-2 mb-1">
          <p className="truncate text-table font-medium">{user.name}</p>
          <p className="truncate text-meta text-subtle">{user.email}</p>
        </div>
      }
      items={[
        { label: "Profile", icon: <CircleUser aria-hidden />, href: profileHref },
        { label: "Keyboard shortcuts", icon: <Keyboard aria-hidden />, keys: "?", onSelect: onShowShortcuts },
        "separator",
        { label: "Sign out", icon: <LogOut aria-hidden />, onSelect: onSignOut },
      ]}
      trigger={
        <button
          type="button"
          className="flex size-7 shrink-0 items-center justify-center rounded-full border border-border-strong bg-raised text-[0.6875rem] font-semibold text-muted hover:text-foreground data-popup-open:text-foreground"
        >
          <span aria-hidden>{initials(user.name)}</span>
          <span className="sr-only">Account of {user.name}</span>
        </button>
      }
    />
  );
}

const themeIcons = { system: Monitor, light: Sun, dark: Moon };
const themeLabels: Record<Theme, string> = { system: "As the system", light: "Light", dark: "Dark" };

/** Light, dark or as the system. */
export function ThemeMenu() {
  const [theme, setTheme] = useTheme();
  const Icon = themeIcons[theme];
  return (
    <Menu
      className="min-w-40"
      trigger={<IconButton label="Theme" icon={<Icon aria-hidden strokeWidth={1.75} />} />}
      items={(["system", "light", "dark"] as const).map((value) => ({
        label: themeLabels[value],
        checked: value === theme,
        onSelect: () => setTheme(value),
      }))}
    />
  );
}

const zoneLabels: Readonly<Record<ZoneMode, string>> = { default: "Org", utc: "UTC", local: "Local" };

/** What the button shows next: "UTC", "local time", or the organization's zone. */
export const zonePhrase = ({ mode, zone }: { mode: ZoneMode; zone: string }): string =>
  mode === "utc" ? "UTC" : mode === "local" ? "local time" : `the organization's zone, ${zone}`;

/** Switches every time on screen between UTC, the browser's zone and that of the organization, where it has one. */
export function ZoneToggle() {
  const { zone, mode, next, setMode } = useTimeZone();
  const shown = mode === "default" ? `${zone}, the organization's zone` : zone;
  return (
    <Tooltip content={`Times are in ${shown}. Show ${zonePhrase(next)}`}>
      <Button variant="ghost" className="w-13 px-0" onClick={() => setMode(next.mode)}>
        <span className="sr-only">Times in </span>
        {zoneLabels[mode]}
      </Button>
    </Tooltip>
  );
}
