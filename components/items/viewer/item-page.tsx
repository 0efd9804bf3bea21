"use client";

import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight, CopyPlus, Download, Eye, EyeOff } from "lucide-react";
import { usePathname, useRouter, useSearchParams } from "next/navigation";
import { useState } from "react";
import { useBulkEdits } from "@/components/items/bulk/use-bulk-edits";
import { gridHref, itemHref, type DatasetAddress, type GridPlace } from "@/components/items/item-links";
import { itemMediaHref } from "@/components/items/item-media";
import { ItemStatusMark } from "@/components/items/item-status-mark";
import { buttonStyles } from "@/components/kit/button";
import { CopyLink } from "@/components/kit/copy-link";
import { IconButton } from "@/components/kit/icon-button";
import { PageHeader, usePageTitle } from "@/components/kit/page-header";
import { useShortcuts } from "@/components/kit/shortcuts";
import { TruncateMiddle } from "@/components/kit/truncate";
import { isUnavailable, PageFailure } from "@/components/product/page-failure";
import { usePermissions } from "@/components/product/permissions";
import { useTRPC } from "@/components/trpc/client";
import { BrightnessMenu, plainLook, toFilter } from "./brightness-menu";
import { Filmstrip } from "./filmstrip";
import { ItemPanel } from "./item-panel";
import { ItemStage } from "./item-stage";
import { useItemShapes } from "./use-item-shapes";
import { useItemSteps } from "./use-item-steps";
import { useNeighbours } from "./use-neighbours";

interface ItemPageProps {
  dataset: DatasetAddress;
  /** The item that the page was opened with; the address names the one that is shown. */
  uid: string;
}

/** One item of a dataset: its picture, what is known of it, and the items around it. */
export function ItemPage({ dataset, uid: opened }: ItemPageProps) {
  const trpc = useTRPC();
  const router = useRouter();
  const uid = usePathname().split("/").at(-1) ?? opened;
  const search = useSearchParams();
  const place: GridPlace = {
    filter_query_string: search.get("filter_query_string"),
    ordering: search.get("ordering"),
    run: search.get("run"),
  };
  const query = useQuery({
    ...trpc.items.get.queryOptions({ ...dataset, uid }),
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 2_000 : false),
  });
  const item = query.data;
  const { before, after, all, isComplete } = useNeighbours(dataset, uid, place);
  const shapes = useItemShapes(dataset, uid, { result: search.get("result"), run: place.run ?? null });
  const edits = useBulkEdits({ dataset: item?.dataset.uid ?? "" });
  const refused = usePermissions().refusal();
  const copy = () => {
    if (item && refused === undefined) edits.copy({ uids: [item.uid] });
  };
  const [look, setLook] = useState(plainLook);
  const [looking, setLooking] = useState(false);
  // Without a request to the server: what the next item shows was fetched before.
  const open = (to: string) => history.replaceState(null, "", itemHref(dataset, to, place));
  const step = useItemSteps({ uid, all, isComplete }, open);
  const chooseRun = (run: string) => {
    const next = new URLSearchParams(search);
    next.set("run", run);
    history.replaceState(null, "", `?${next.toString()}`);
  };
  const back = gridHref(dataset, place, uid);
  const group = "Item";
  useShortcuts([
    { keys: "arrowleft", label: "Previous item", group, run: () => step(false) },
    { keys: "arrowright", label: "Next item", group, run: () => step(true) },
    { keys: "b", label: "Brightness and contrast", group, run: () => setLooking(!looking) },
    { keys: "h", label: "Hide or show shapes", group, run: shapes.toggle },
    { keys: "d", label: "Copy into another dataset", group, run: copy },
    { keys: "escape", label: "Back to the grid", group, run: () => router.push(back) },
  ]);
  usePageTitle(item?.key);
  if (isUnavailable(query))
    return (
      <PageFailure
        title={item?.key}
        noun="item"
        deletedMessage="This item was deleted, or it is in another dataset."
        list={{ label: "Dataset", href: back }}
        query={query}
      />
    );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title={item ? <TruncateMiddle text={item.key} tail={24} /> : "…"}
        trail={[
          { label: "Datasets", href: "/datasets" },
          { label: item?.dataset.name ?? dataset.slug, href: back },
        ]}
        status={item && <ItemStatusMark status={item.status} />}
        actions={
          <>
            <IconButton
              label="Previous item"
              keys="arrowleft"
              icon={<ChevronLeft aria-hidden />}
              disabled={!before}
              onClick={() => step(false)}
            />
            <IconButton
              label="Next item"
              keys="arrowright"
              icon={<ChevronRight aria-hidden />}
              disabled={!after}
              onClick={() => step(true)}
            />
            <BrightnessMenu look={look} onChange={setLook} open={looking} onOpenChange={setLooking} />
            <IconButton
              label={shapes.areShown ? "Hide shapes" : "Show shapes"}
              keys="h"
              icon={shapes.areShown ? <Eye aria-hidden /> : <EyeOff aria-hidden />}
              onClick={shapes.toggle}
            />
            <IconButton
              label="Copy into another dataset"
              keys="d"
              icon={<CopyPlus aria-hidden />}
              disabled={!item}
              disabledReason={refused}
              onClick={copy}
            />
            <CopyLink compact />
            <a
              href={itemMediaHref(uid, "data")}
              download={item?.key.split("/").at(-1)}
              aria-label="Download"
              className={buttonStyles({ variant: "ghost", className: "w-8 px-0" })}
            >
              <Download aria-hidden />
            </a>
          </>
        }
      />
      <div className="flex min-h-0 flex-1 flex-col border-t max-lg:overflow-y-auto lg:flex-row">
        <div className="flex min-h-0 min-w-0 flex-col max-lg:h-[60dvh] max-lg:shrink-0 lg:flex-1">
          <div className="relative min-h-0 flex-1 bg-background">
            {item && (
              <ItemStage
                dataset={dataset}
                item={item}
                shapes={shapes.drawn}
                selected={shapes.selected}
                filter={toFilter(look)}
                onStep={step}
              />
            )}
          </div>
          <Filmstrip dataset={dataset} place={place} uid={uid} items={all} onOpen={open} />
        </div>
        <aside
          aria-label="About this item"
          className="shrink-0 overflow-y-auto border-l max-lg:border-t max-lg:border-l-0 lg:w-90"
        >
          {item && <ItemPanel key={item.uid} dataset={dataset} item={item} shapes={shapes} onRun={chooseRun} />}
        </aside>
      </div>
      {edits.dialogs}
    </div>
  );
}
