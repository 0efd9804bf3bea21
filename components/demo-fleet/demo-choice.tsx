"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { createContext, useCallback, useContext, useEffect, useMemo, type ReactNode } from "react";
import { usePreference } from "@/components/kit/preferences-provider";
import { useTRPC } from "@/components/trpc/client";
import {
  chooseDemo,
  defaultDemoChoice,
  demoFilters,
  parseDemoChoice,
  type DemoChoice,
  type DemoFilter,
} from "@/domain/demo/choice";
import { demoPreference } from "./demo-preference";

interface Shown {
  /** Null where there is no demo data, and nothing to choose. */
  choice: DemoChoice | null;
  choose: (choice: DemoChoice) => void;
}

const Context = createContext<Shown>({ choice: null, choose: () => {} });

interface DemoChoiceProviderProps {
  userUid: string;
  organizationUid: string;
  children: ReactNode;
}

const none = { present: false, own_reports: false };

/** At once: what nuqs still has to write when a link was followed is dropped. */
function addToAddress(choice: DemoChoice): void {
  const url = new URL(window.location.href);
  url.searchParams.set("demo", choice);
  window.history.replaceState(null, "", url);
}

/**
 * Holds whether the demo fleet, what is one's own, or both are shown inside: by the address, else as this person chose
 * before in this organization, else by default. `readDemoFilter` decides the same on the server.
 */
export function DemoChoiceProvider({ userUid, organizationUid, children }: DemoChoiceProviderProps) {
  const trpc = useTRPC();
  const presence = useQuery({ ...trpc.demo.presence.queryOptions(), staleTime: 60_000 }).data ?? none;
  const [inAddress, setInAddress] = useQueryState("demo", parseAsString);
  const [remembered, remember] = usePreference(demoPreference(userUid, organizationUid));
  const choice = chooseDemo(presence, inAddress, remembered);
  const isUnusual = presence.present && choice !== defaultDemoChoice(presence);

  const choose = useCallback(
    (next: DemoChoice) => {
      remember(next);
      void setInAddress(next);
    },
    [remember, setInAddress],
  );

  // A link of somebody else decides for this page and the following ones, and an address shows what others would not see.
  const given = parseDemoChoice(inAddress);
  useEffect(() => {
    if (!presence.present) return;
    if (given !== null && given !== parseDemoChoice(remembered)) remember(given);
    if (given === null && isUnusual) addToAddress(choice);
  }, [presence.present, given, remembered, isUnusual, choice, remember]);

  const value = useMemo(
    () => ({ choice: presence.present ? choice : null, choose }),
    [presence.present, choice, choose],
  );
  return <Context value={value}>{children}</Context>;
}

/** What is shown, and the way to choose otherwise. */
export const useDemoChoice = (): Shown => useContext(Context);

/** The same as the filter that every list and count of the dashboard takes. */
export const useDemoFilter = (): DemoFilter => demoFilters[useDemoChoice().choice ?? "both"];
