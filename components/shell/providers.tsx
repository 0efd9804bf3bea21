"use client";

import { CSPProvider } from "@base-ui/react/csp-provider";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import type { ReactNode } from "react";
import { LiveRegion } from "@/components/kit/live-region";
import type { Preferences } from "@/components/kit/preferences";
import { PreferencesProvider } from "@/components/kit/preferences-provider";
import { TooltipProvider } from "@/components/kit/tooltip";
import { useTypedTexts } from "@/components/kit/typed-texts";
import { Toaster } from "@/components/product/toast";
import { AddressFollower } from "@/components/shell/address-follower";
import { keepNewestAddress } from "@/components/shell/newest-address";

export interface InterfaceProvidersProps {
  preferences: Preferences;
  /** The server's clock in milliseconds. */
  renderedAt: number;
  nonce?: string;
  children: ReactNode;
}

/** The providers of every page: preferences, URL state, tooltips, toasts, the live region. */
export function InterfaceProviders({ preferences, renderedAt, nonce, children }: InterfaceProvidersProps) {
  useTypedTexts();
  return (
    <CSPProvider nonce={nonce}>
      <NuqsAdapter processUrlSearchParams={keepNewestAddress}>
        <AddressFollower />
        <PreferencesProvider initial={preferences} renderedAt={renderedAt}>
          <TooltipProvider>
            <div className="isolate">{children}</div>
            <Toaster />
            <LiveRegion />
          </TooltipProvider>
        </PreferencesProvider>
      </NuqsAdapter>
    </CSPProvider>
  );
}
