"use client";

import { CloudOff } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { useOffline } from "next/offline";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { onAttempt } from "@/components/kit/leaving";

/**
 * The page, or, when a link was followed while the server cannot be reached, what is the matter. The page stays as it is
 * behind that; the router waits for the server and then opens what was asked for.
 */
export function Unreachable({ children }: { children: ReactNode }) {
  const offline = useOffline();
  const router = useRouter();
  const pathname = usePathname();
  const [attemptFrom, setAttemptFrom] = useState<string | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => onAttempt(() => setAttemptFrom(location.pathname)), []);
  useEffect(() => () => setAttemptFrom(null), [pathname]);
  const shown = offline && attemptFrom === pathname;
  useEffect(() => {
    if (shown) heading.current?.focus();
  }, [shown]);
  const stay = () => {
    setAttemptFrom(null);
    // A later navigation replaces the one that waits.
    router.replace(`${location.pathname}${location.search}`, { scroll: false });
  };
  return (
    <>
      <div className="contents" inert={shown}>
        {children}
      </div>
      {shown && (
        <section
          aria-labelledby="unreachable"
          className="absolute inset-0 z-30 flex flex-col items-start bg-surface px-4 py-10 sm:px-6"
        >
          <CloudOff aria-hidden className="size-5 text-warning-text" />
          <h2 id="unreachable" ref={heading} tabIndex={-1} className="mt-3 text-section font-semibold outline-none">
            Muster cannot be reached
          </h2>
          <p role="status" className="mt-1 max-w-152 text-body text-muted">
            The page you chose opens by itself as soon as there is a connection again; it is tried every few seconds.
            What you had open is still there, and nothing of it is lost.
          </p>
          <Button className="mt-4" onClick={stay}>
            Stay on this page
          </Button>
        </section>
      )}
    </>
  );
}
