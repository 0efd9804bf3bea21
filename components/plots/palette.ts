"use client";

import { useSyncExternalStore } from "react";

/** The theme's colours as a canvas takes them. */
export interface Palette {
  surface: string;
  border: string;
  borderStrong: string;
  foreground: string;
  muted: string;
  subtle: string;
  accent: string;
  critical: string;
  error: string;
  warning: string;
  info: string;
  series: readonly string[];
  font: string;
}

let current: Palette | null = null;
const listeners = new Set<() => void>();
let stop: (() => void) | null = null;

function read(): Palette {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    surface: colour("surface"),
    border: colour("border"),
    borderStrong: colour("border-strong"),
    foreground: colour("foreground"),
    muted: colour("muted"),
    subtle: colour("subtle"),
    accent: colour("accent"),
    critical: colour("critical"),
    error: colour("error"),
    warning: colour("warning"),
    info: colour("info"),
    series: Array.from({ length: 8 }, (_, at) => colour(`series-${at + 1}`)),
    font: getComputedStyle(document.body).fontFamily || "sans-serif",
  };
}

function changed(): void {
  current = read();
  listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (!stop) {
    const observer = new MutationObserver(changed);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    system.addEventListener("change", changed);
    stop = () => {
      observer.disconnect();
      system.removeEventListener("change", changed);
    };
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    stop?.();
    stop = null;
    current = null;
  };
}

/** The colours of the current theme, updated when it changes; null on the server. */
export function usePalette(): Palette | null {
  return useSyncExternalStore(
    subscribe,
    () => (current ??= read()),
    () => null,
  );
}

/** Which series colour a field has: always the same one, on every plot. */
export function pickColour(palette: Palette, path: string): string {
  let hash = 7;
  for (let at = 0; at < path.length; at++) hash = (Math.imul(hash, 31) + path.charCodeAt(at)) | 0;
  return palette.series[Math.abs(hash) % palette.series.length] ?? palette.accent;
}

/** The colours of several fields in one plot: each its own, as long as there are as many. */
export function pickColours(palette: Palette, paths: readonly string[]): string[] {
  const used = new Set<string>();
  return paths.map((path) => {
    const wanted = pickColour(palette, path);
    const colour = used.has(wanted) ? (palette.series.find((each) => !used.has(each)) ?? wanted) : wanted;
    used.add(colour);
    return colour;
  });
}
