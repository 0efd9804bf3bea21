"use client";

import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { cn } from "@/components/kit/cn";
import { IconButton } from "@/components/kit/icon-button";
import { Tooltip } from "@/components/kit/tooltip";
import { isCurrent, navigation, type NavigationItem } from "./navigation";

interface LinkProps {
  item: NavigationItem;
  collapsed: boolean;
  badge?: ReactNode;
  onNavigate?: () => void;
}

function RailLink({ item, collapsed, badge, onNavigate }: LinkProps) {
  const current = isCurrent(usePathname(), item.href);
  const [near, setNear] = useState(false);
  const own = useRef<HTMLAnchorElement>(null);
  // On a low screen the rail scrolls.
  useEffect(() => {
    if (current) own.current?.scrollIntoView({ block: "nearest" });
  }, [current]);
  const link = (
    <Link
      ref={own}
      href={item.href}
      // Otherwise each page would prefetch all the others.
      prefetch={near ? null : false}
      onPointerEnter={() => setNear(true)}
      onFocus={() => setNear(true)}
      aria-current={current ? "page" : undefined}
      onClick={onNavigate}
      className={cn(
        "relative flex h-8 scroll-my-3 items-center gap-2.5 rounded-panel text-table transition-colors",
        collapsed ? "w-8 justify-center" : "px-2",
        current ? "bg-selected font-medium text-foreground" : "text-muted hover:bg-hover hover:text-foreground",
      )}
    >
      <item.icon aria-hidden className={cn("size-4 shrink-0", current && "text-accent-text")} strokeWidth={1.75} />
      <span className={cn("min-w-0 flex-1 truncate", collapsed && "sr-only")}>{item.label}</span>
      {badge !== undefined && (
        <span
          className={cn(
            "text-meta tabular-nums",
            collapsed && "absolute -top-1 left-4.5 rounded-full border bg-surface px-1 leading-3.5",
          )}
        >
          {badge}
        </span>
      )}
    </Link>
  );
  return collapsed ? (
    <Tooltip side="right" content={item.label} keys={item.keys}>
      {link}
    </Tooltip>
  ) : (
    link
  );
}

export interface RailNavigationProps {
  collapsed?: boolean;
  /** Counts by href, such as open alerts. */
  badges?: Readonly<Record<string, ReactNode>>;
  onNavigate?: () => void;
}

/** The links of the rail, in groups. */
export function RailNavigation({ collapsed = false, badges = {}, onNavigate }: RailNavigationProps) {
  return (
    <nav aria-label="Main" className={cn("flex flex-col gap-4 p-3", collapsed && "items-center")}>
      {navigation.map((group, at) => (
        <div key={group.heading ?? at} className="flex flex-col gap-0.5">
          {group.heading &&
            (collapsed ? (
              <div className="mx-1 mb-2 border-t" role="separator" />
            ) : (
              <h2 className="px-2 pb-1 text-meta text-subtle">{group.heading}</h2>
            ))}
          {group.items.map((item) => (
            <RailLink
              key={item.href}
              item={item}
              collapsed={collapsed}
              badge={badges[item.href]}
              onNavigate={onNavigate}
            />
          ))}
        </div>
      ))}
    </nav>
  );
}

/** The left rail, 216 px or 56 px. */
export function Rail(props: RailNavigationProps & { collapsed: boolean; onToggle: () => void }) {
  const { collapsed, onToggle, badges } = props;
  return (
    <aside className={cn("flex shrink-0 flex-col border-r bg-background max-md:hidden", collapsed ? "w-14" : "w-54")}>
      {/* What is only for screen readers stays inside where it scrolls. */}
      <div className="relative min-h-0 flex-1 overflow-y-auto">
        <RailNavigation collapsed={collapsed} badges={badges} />
      </div>
      <div className={cn("flex border-t p-2", collapsed ? "justify-center" : "justify-end")}>
        <IconButton
          label={collapsed ? "Expand navigation" : "Collapse navigation"}
          keys="["
          size="sm"
          icon={collapsed ? <PanelLeftOpen aria-hidden /> : <PanelLeftClose aria-hidden />}
          onClick={onToggle}
        />
      </div>
    </aside>
  );
}
