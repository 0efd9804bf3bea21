"use client";

import { skipToken, useQuery } from "@tanstack/react-query";
import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { ItemPicture } from "@/components/items/grid/item-picture";
import { Button } from "@/components/kit/button";
import { cn } from "@/components/kit/cn";
import { Field } from "@/components/kit/field";
import { SkeletonText } from "@/components/kit/skeleton";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { DatasetChoice } from "./dataset-choice";
import type { Trial } from "./query";
import { TrialResult } from "./trial-result";

/** Items to choose from: the newest of a dataset. */
const offered = 8;

/** Asks a model about one item while the person waits. Nothing is stored. */
export function TryOn({ integration, reason }: { integration: string; reason: string | undefined }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const [dataset, setDataset] = useState<string | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const [tried, setTried] = useState<{ item: string; trial: Trial } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const first = useQuery(
    trpc.items.first.queryOptions(dataset === null ? skipToken : { dataset, filter: "", ordering: "-created_at" }),
  );
  const items = first.data?.rows.slice(0, offered);
  const item = items?.find(({ uid }) => uid === chosen) ?? items?.[0];
  const run = async () => {
    if (!item) return;
    setBusy(true);
    try {
      const trial = await client.models.tryOn.mutate({ integration_uid: integration, dataset_item_uid: item.uid });
      setTried({ item: item.uid, trial });
    } catch (error) {
      toast.failure(error, { title: "The model was not tried" });
    } finally {
      setBusy(false);
    }
  };
  const shown = tried && items?.find(({ uid }) => uid === tried.item);
  return (
    <div className="flex max-w-220 flex-col gap-4">
      <Field label="Dataset" className="max-w-80">
        <DatasetChoice value={dataset} onValueChange={setDataset} />
      </Field>
      {dataset !== null && !items && <SkeletonText lines={2} />}
      {items?.length === 0 && <p className="text-table text-muted">This dataset has no items.</p>}
      {items && items.length > 0 && (
        <>
          <div role="radiogroup" aria-label="Item" className="grid grid-cols-4 gap-2 sm:grid-cols-8">
            {items.map((each) => (
              <button
                key={each.uid}
                type="button"
                role="radio"
                aria-checked={each.uid === item?.uid}
                aria-label={each.key}
                title={each.key}
                className={cn(
                  "overflow-hidden rounded-control border-2",
                  each.uid === item?.uid ? "border-accent" : "border-border",
                )}
                onClick={() => setChosen(each.uid)}
              >
                <ItemPicture item={each} load className="aspect-square" />
              </button>
            ))}
          </div>
          <Button
            icon={<FlaskConical aria-hidden />}
            busy={isBusy}
            disabledReason={reason}
            className="self-start"
            onClick={() => void run()}
          >
            Try on {item?.key.split("/").at(-1) ?? "it"}
          </Button>
        </>
      )}
      {shown && <TrialResult item={shown} trial={tried.trial} />}
    </div>
  );
}
