"use client";

import { createContext, useContext, useSyncExternalStore, type ReactNode } from "react";

const never = () => () => {};

const VisitedOrigin = createContext("");

/** Gives the pages inside the origin by which the browser asked for them, as the server saw it. */
export function OriginProvider({ origin, children }: { origin: string; children: ReactNode }) {
  return <VisitedOrigin value={origin}>{children}</VisitedOrigin>;
}

/** The address this page was loaded from, for commands people copy, from the first frame of the server on. */
export function useOrigin(): string {
  const visited = useContext(VisitedOrigin);
  return useSyncExternalStore(
    never,
    () => location.origin,
    () => visited,
  );
}
