"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { useState, type KeyboardEvent } from "react";
import { Tags } from "@/components/kit/badge";
import { Button } from "@/components/kit/button";
import { IconButton } from "@/components/kit/icon-button";
import { TagInput } from "@/components/kit/tag-input";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import type { Device } from "./query";

/** Stable, so that it takes the focus once and not with every draw. */
const focus = (input: HTMLInputElement | null) => input?.focus();

/** A device's tags; a press on the pencil makes them editable where they stand. */
export function DeviceTags({ device }: { device: Pick<Device, "uid" | "name" | "tags"> }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<string[] | null>(null);
  const [busy, setBusy] = useState(false);
  const known = useQuery({ ...trpc.devices.vocabulary.queryOptions(), enabled: draft !== null }).data?.tags;

  const write = async (tags: string[]) => {
    await client.devices.update.mutate({ uid: device.uid, change: { tags } });
    await queryClient.invalidateQueries(trpc.devices.pathFilter());
  };
  const save = async (tags: string[]) => {
    const before = device.tags;
    if (JSON.stringify(tags) === JSON.stringify(before)) return setDraft(null);
    setBusy(true);
    try {
      await write(tags);
      setDraft(null);
      toast.undo(`Tags of ${device.name} were changed`, () => {
        write(before).catch((error: unknown) => toast.failure(error, { title: "The tags were not put back" }));
      });
    } catch (error) {
      toast.failure(error, { title: "The tags were not changed" });
    } finally {
      setBusy(false);
    }
  };

  if (draft === null) {
    return (
      <span className="flex min-w-0 items-center gap-1">
        {device.tags.length === 0 ? <span className="text-subtle">No tags</span> : <Tags tags={device.tags} max={6} />}
        <IconButton
          label="Edit tags"
          size="sm"
          className="size-6"
          icon={<Pencil aria-hidden className="size-3.5!" />}
          onClick={() => setDraft(device.tags)}
        />
      </span>
    );
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") setDraft(null);
    else if (event.key === "Enter" && !event.defaultPrevented) void save(draft);
    else return;
    event.stopPropagation();
  };
  return (
    <span className="flex w-full max-w-140 min-w-0 items-start gap-2" onKeyDown={onKeyDown}>
      <TagInput
        ref={focus}
        aria-label={`Tags of ${device.name}`}
        value={draft}
        onValueChange={setDraft}
        suggestions={known}
      />
      <Button variant="primary" busy={busy} onClick={() => void save(draft)}>
        Save
      </Button>
      <Button onClick={() => setDraft(null)}>Cancel</Button>
    </span>
  );
}
