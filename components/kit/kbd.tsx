"use client";

import { Fragment, useSyncExternalStore, type ReactNode } from "react";
import { cn } from "./cn";

/** One key cap. */
export function Kbd({ children, inverted = false }: { children: ReactNode; inverted?: boolean }) {
  return (
    <kbd
      className={cn(
        "inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-control border px-1 font-sans text-meta leading-none",
        inverted ? "border-current/30 text-current" : "border-border bg-surface text-subtle",
      )}
    >
      {children}
    </kbd>
  );
}

const never = () => () => {};
const isApple = () => /mac|iphone|ipad/i.test(navigator.platform);

const names: Record<string, string> = {
  shift: "⇧",
  enter: "↵",
  escape: "Esc",
  arrowup: "↑",
  arrowdown: "↓",
  arrowleft: "←",
  arrowright: "→",
  space: "Space",
};

/** The keys of a chord; in `+` and `mod++` the plus is a key itself. */
const splitChord = (chord: string): string[] => (chord === "+" ? ["+"] : chord.replace(/\+\+$/, "+plus").split("+"));

/** A shortcut as key caps: `mod+k` (⌘K or Ctrl K), `g d` (g then d), `shift+x`; `decorative` inside buttons. */
export function KeyHint(props: { keys: string; inverted?: boolean; decorative?: boolean }) {
  const { keys, inverted = false, decorative = false } = props;
  const apple = useSyncExternalStore(never, isApple, () => false);
  const label = (key: string) => {
    if (key === "mod") return apple ? "⌘" : "Ctrl";
    if (key === "alt" && apple) return "⌥";
    if (key === "plus") return "+";
    return names[key] ?? `${key.charAt(0).toUpperCase()}${key.slice(1)}`;
  };
  return (
    <span
      aria-hidden={decorative || undefined}
      // Inside of buttons only where there is a keyboard to press them on.
      className={cn("inline-flex items-center gap-1 whitespace-nowrap", decorative && "max-sm:hidden")}
    >
      {keys.split(" ").map((chord, step) => (
        <Fragment key={chord + step}>
          {step > 0 && <span className="sr-only">then</span>}
          {splitChord(chord).map((key) => (
            <Kbd key={key} inverted={inverted}>
              {label(key)}
            </Kbd>
          ))}
        </Fragment>
      ))}
    </span>
  );
}
