import { AppRouterContext } from "next/dist/shared/lib/app-router-context.shared-runtime";
import { PathnameContext, SearchParamsContext } from "next/dist/shared/lib/hooks-client-context.shared-runtime";
import { NuqsTestingAdapter } from "nuqs/adapters/testing";
import { useMemo, useSyncExternalStore, type ComponentProps, type MouseEvent, type ReactNode } from "react";
import { render, type RenderResult } from "vitest-browser-react";
import { PermissionsProvider } from "@/components/product/permissions";
import { InterfaceProviders } from "@/components/shell/providers";
import { ServerProvider } from "@/components/trpc/provider";
import type { Person } from "@/domain/permissions";

/** A screen of the product without its server: what surrounds every page, and an address that it reads and writes. */

const listeners = new Set<() => void>();
const announce = () => listeners.forEach((listener) => listener());

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("popstate", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("popstate", listener);
  };
}

/** As Next does: whoever writes an address, the page reads it. */
export function followAddress(): void {
  for (const write of ["pushState", "replaceState"] as const) {
    const own = history[write].bind(history);
    history[write] = (...args) => {
      own(...args);
      queueMicrotask(announce);
    };
  }
}

type Router = NonNullable<ComponentProps<typeof AppRouterContext>["value"]>;
/** The state that marks an address as the router's own. */
const routed = { routed: true };
const go = (href: string, how: "pushState" | "replaceState") => history[how](routed, "", new URL(href, location.href));
const router: Router = {
  push: (href) => go(href, "pushState"),
  replace: (href) => go(href, "replaceState"),
  back: () => history.back(),
  forward: () => history.forward(),
  bfcacheId: "",
  refresh: () => {},
  prefetch: () => {},
};

/** A link leads to its address without the page of another screen, which is not there. */
function followLink(event: MouseEvent): void {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || link.origin !== location.origin || link.target || link.download || event.defaultPrevented) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  router.push(link.href);
}

const admin: Person = {
  userUid: "usr_00000000-0000-7000-8000-000000000001",
  username: "ada",
  role: "admin",
  readOnly: false,
};

interface HostProps {
  person?: Partial<Person>;
  children: ReactNode;
}

function Host({ person, children }: HostProps) {
  const address = useSyncExternalStore(subscribe, () => location.pathname + location.search);
  const { pathname, searchParams } = useMemo(() => new URL(address, location.origin), [address]);
  return (
    <AppRouterContext value={router}>
      <PathnameContext value={pathname}>
        <SearchParamsContext value={searchParams}>
          {/* oxlint-disable-next-line react/purity -- the clock of the server that would have rendered this */}
          <InterfaceProviders preferences={{}} renderedAt={useMemo(() => Date.now(), [])}>
            <ServerProvider retryPauseMs={1}>
              <PermissionsProvider person={{ ...admin, ...person }}>
                <div onClickCapture={followLink} role="presentation" className="contents">
                  <main id="main" className="h-dvh">
                    {children}
                  </main>
                </div>
              </PermissionsProvider>
            </ServerProvider>
          </InterfaceProviders>
        </SearchParamsContext>
      </PathnameContext>
    </AppRouterContext>
  );
}

/** Shows a screen at an address, to an admin or as the person who is given. */
export function show(screen: ReactNode, at: string, person: Partial<Person> = {}): Promise<RenderResult> {
  history.replaceState(routed, "", at);
  return render(
    <>
      {/* Filters that the screen before wrote are kept for all pages; a change of page in the product drops them as well. */}
      <NuqsTestingAdapter>{null}</NuqsTestingAdapter>
      <Host person={person}>{screen}</Host>
    </>,
  );
}
