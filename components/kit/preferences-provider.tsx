"use client";

import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from "react";
import {
  densities,
  parseOneOf,
  preferenceCookie,
  themes,
  type Density,
  type Preferences,
  type Theme,
} from "./preferences";

interface PreferencesContext {
  preferences: Preferences;
  setPreference: (name: string, value: string) => void;
  /** Milliseconds at which the server drew this page; hydration repeats it so that both render the same text. */
  renderedAt: number;
}

const Context = createContext<PreferencesContext>({ preferences: {}, setPreference: () => {}, renderedAt: 0 });

/** Holds the preferences the server read from cookies; `renderedAt` is the server's clock in milliseconds. */
export function PreferencesProvider(props: { initial: Preferences; renderedAt: number; children: ReactNode }) {
  const { initial, renderedAt, children } = props;
  const [preferences, setPreferences] = useState(initial);

  const setPreference = useCallback((name: string, value: string) => {
    document.cookie = preferenceCookie(name, value, location.protocol);
    if (name === "theme") document.documentElement.dataset.theme = value;
    setPreferences((before) => (before[name] === value ? before : { ...before, [name]: value }));
  }, []);

  // The server cannot know the browser's zone; it learns it from the cookie from the second page on.
  useEffect(() => {
    document.cookie = preferenceCookie("zone_name", browserZone(), location.protocol);
  }, []);

  const value = useMemo(() => ({ preferences, setPreference, renderedAt }), [preferences, setPreference, renderedAt]);
  return <Context value={value}>{children}</Context>;
}

/** One preference and its setter, as `useState` would give them. */
export function usePreference(name: string, fallback = ""): [string, (value: string) => void] {
  const { preferences, setPreference } = useContext(Context);
  const set = useCallback((value: string) => setPreference(name, value), [name, setPreference]);
  return [preferences[name] ?? fallback, set];
}

/** Light, dark or the system's choice. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const [value, set] = usePreference("theme");
  return [parseOneOf(value, themes, "system"), set];
}

/** Row height of tables: compact 28 px, regular 36 px, comfortable 44 px. */
export function useDensity(): [Density, (density: Density) => void] {
  const [value, set] = usePreference("density");
  return [parseOneOf(value, densities, "regular"), set];
}

const never = () => () => {};
const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

const DefaultZone = createContext<string | null>(null);

/** Shows times inside in this zone for those who chose none; null leaves them to the browser's. */
export function DefaultZoneProvider({ zone, children }: { zone: string | null; children: ReactNode }) {
  return <DefaultZone value={zone}>{children}</DefaultZone>;
}

/** UTC, the browser's zone, or the default of whoever runs the place, where there is one. */
export type ZoneMode = "default" | "utc" | "local";

export interface TimeZoneChoice {
  /** An IANA name; `UTC` also while the browser's is not known yet. */
  zone: string;
  utc: boolean;
  mode: ZoneMode;
  /** The mode that follows in the round of those there are. */
  next: { mode: ZoneMode; zone: string };
  setMode: (mode: ZoneMode) => void;
}

/** The zone times are shown in, and how to choose another. */
export function useTimeZone(): TimeZoneChoice {
  const [choice, setMode] = usePreference("zone");
  const [known] = usePreference("zone_name", "UTC");
  const local = useSyncExternalStore(never, browserZone, () => known);
  const given = useContext(DefaultZone);
  const zones: Readonly<Record<ZoneMode, string>> = { default: given ?? local, utc: "UTC", local };
  const modes: readonly ZoneMode[] = given === null ? ["local", "utc"] : ["default", "utc", "local"];
  const mode = modes.find((each) => each === choice) ?? modes[0] ?? "local";
  const next = modes[(modes.indexOf(mode) + 1) % modes.length] ?? mode;
  return { zone: zones[mode], utc: mode === "utc", mode, next: { mode: next, zone: zones[next] }, setMode };
}

/** The server's clock when it drew the page, in milliseconds. */
export function useRenderedAt(): number {
  return useContext(Context).renderedAt;
}
