"use client";

import { useSyncExternalStore } from "react";

const never = () => () => {};

/**
 * The address this page was loaded from, for commands people copy; before the browser has taken over, the local
 * default.
 */
export const useOrigin = (): string =>
  useSyncExternalStore(
    never,
    () => location.origin,
    () => "http://127.0.0.1:3000",
  );
