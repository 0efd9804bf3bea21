"use client";

import { RefreshCw } from "lucide-react";
import { useSyncExternalStore } from "react";
import { Button } from "@/components/kit/button";
import { updated } from "@/components/kit/part-loading";
import { reloadPage } from "@/components/kit/typed-texts";

/** Shows that the server has another version than this page, once the page asked for a part that is gone. */
export function UpdatedStrip() {
  const isShown = useSyncExternalStore(updated.subscribe, updated.get, () => false);
  return (
    <div role="status">
      {isShown && (
        <p className="flex items-center gap-2 border-b bg-background px-4 py-1 text-meta sm:px-6">
          <RefreshCw aria-hidden className="size-3.5 shrink-0" />
          <span>
            <b className="font-medium">Muster was updated.</b> What you typed here is kept when you reload.
          </span>
          <Button size="sm" onClick={reloadPage}>
            Reload
          </Button>
        </p>
      )}
    </div>
  );
}
