"use client";

import { createContext, use, type ReactNode } from "react";

/** What the place of a panel adds to its head: its menu. Nothing where a panel stands alone. */
export const PanelToolsContext = createContext<ReactNode>(null);

/** The tools of a panel's place, at the end of its head. */
export function PanelTools() {
  return use(PanelToolsContext);
}
