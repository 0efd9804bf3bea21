import { HardDrive, KeyRound, ScrollText, Users, type LucideIcon } from "lucide-react";

export interface NavigationItem {
  label: string;
  href: string;
  icon: LucideIcon;
  /** Sequence that goes there. */
  keys?: string;
  /** More words the command palette finds it by. */
  keywords?: string;
}

export interface NavigationGroup {
  /** Shown above the group; the main group has none. */
  heading?: string;
  items: readonly NavigationItem[];
}

/** The rail, the command palette and the `g` shortcuts are all drawn from this list. Add a line with each new page. */
export const navigation: readonly NavigationGroup[] = [
  {
    items: [{ label: "Devices", href: "/devices", icon: HardDrive, keys: "g d", keywords: "robots fleet" }],
  },
  {
    heading: "Settings",
    items: [
      { label: "Members", href: "/settings/members", icon: Users, keys: "g m", keywords: "people team invite" },
      { label: "API keys", href: "/settings/api-keys", icon: KeyRound, keys: "g k", keywords: "tokens scopes" },
      { label: "Audit", href: "/settings/audit", icon: ScrollText, keys: "g l", keywords: "log history" },
    ],
  },
];

export const profileHref = "/settings/profile";

/** Whether a page belongs to an item: its own path or one below it. */
export function isCurrent(pathname: string, href: string): boolean {
  return pathname === href || pathname.startsWith(`${href}/`);
}
