"use client";

import { skipToken, useQuery } from "@tanstack/react-query";
import { AddressCheck, useSettledAddress } from "@/components/product/address-check";
import { useTRPC } from "@/components/trpc/client";

/** Whether the URL that is being typed can be subscribed, with the reason; `uid` is the webhook that is changed. */
export function UrlCheck({ url, uid }: { url: string; uid?: string }) {
  const trpc = useTRPC();
  const settled = useSettledAddress(url);
  const query = useQuery({
    ...trpc.webhooks.checkUrl.queryOptions(settled === null ? skipToken : { target_url: settled, ...(uid && { uid }) }),
    staleTime: 10_000,
    retry: false,
  });
  return (
    <AddressCheck
      url={url}
      settled={settled}
      check={query}
      empty="An https:// address of your own that answers 2xx within 15 seconds."
      accepted="Reachable address. Send a test to see its response."
    />
  );
}
