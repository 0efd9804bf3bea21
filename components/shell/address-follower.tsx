"use client";

import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useEffect } from "react";
import { useLatest } from "@/components/kit/latest";

/** Milliseconds after which the router has rendered the target of Back, or never will. */
const restMs = 400;

/**
 * Several Backs in quick succession can leave the router at an intermediate address: the response for that
 * one comes last and wins. The page then shows filters that the address no longer has, so the router is sent there
 * again.
 */
export function AddressFollower() {
  const router = useRouter();
  const drawn = `${usePathname()}?${useSearchParams().toString()}`;
  const follow = useLatest(() => {
    const { pathname, search, hash } = window.location;
    if (drawn !== `${pathname}?${new URLSearchParams(search).toString()}`)
      router.replace(`${pathname}${search}${hash}`, { scroll: false });
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onBack = () => {
      clearTimeout(timer);
      timer = setTimeout(follow, restMs);
    };
    window.addEventListener("popstate", onBack);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("popstate", onBack);
    };
  }, [follow]);
  return null;
}
