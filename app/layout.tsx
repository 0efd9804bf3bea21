import type { Metadata, Viewport } from "next";
import { cookies, headers } from "next/headers";
import type { ReactNode } from "react";
import { parseOneOf, readPreferences, themes } from "@/components/kit/preferences";
import { OriginProvider } from "@/components/product/origin";
import { InterfaceProviders } from "@/components/shell/providers";
import { ServerProvider } from "@/components/trpc/provider";
import { getVisitedOrigin } from "@/server/transport/rest/own-host";
import { mono, sans } from "./fonts";
import "./globals.css";

// A prerendered page cannot carry a per-request nonce.
export const dynamic = "force-dynamic";

export const metadata: Metadata = {
  title: { template: "%s · Muster", default: "Muster" },
  description: "Fleet operations for people who run robots.",
  robots: { index: false },
};

export const viewport: Viewport = { width: "device-width", initialScale: 1, colorScheme: "light dark" };

/** Server time outside render, so that the first frame in the browser can repeat it. */
const serverNow = () => Date.now();

export default async function RootLayout({ children }: { children: ReactNode }) {
  const [cookieStore, headerStore] = await Promise.all([cookies(), headers()]);
  const preferences = readPreferences(cookieStore.getAll());
  const scheme = headerStore.get("x-forwarded-proto")?.split(",")[0]?.trim() ?? "http";
  return (
    <html
      lang="en"
      data-theme={parseOneOf(preferences.theme, themes, "system")}
      className={`${sans.variable} ${mono.variable}`}
    >
      <body>
        <InterfaceProviders
          preferences={preferences}
          renderedAt={serverNow()}
          nonce={headerStore.get("x-nonce") ?? undefined}
        >
          <OriginProvider origin={getVisitedOrigin(headerStore.get("host") ?? "", scheme)}>
            <ServerProvider>{children}</ServerProvider>
          </OriginProvider>
        </InterfaceProviders>
      </body>
    </html>
  );
}
