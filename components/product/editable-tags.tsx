"use client";

import { useQuery } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { useState, type KeyboardEvent } from "react";
import { Tags } from "@/components/kit/badge";
import { Button } from "@/components/kit/button";
import { IconButton } from "@/components/kit/icon-button";
import { TagInput } from "@/components/kit/tag-input";
import { usePermissions } from "./permissions";
import { toQuery } from "./to-query";
import { toast } from "./toast";

/** Stable, so that it takes the focus once and not with every draw. */
const focus = (input: HTMLInputElement | null) => input?.focus();

/** The tags of something; a press on the pencil makes them editable in place. */
export function EditableTags(props: {
  /** What is tagged: its name. */
  name: string;
  tags: string[];
  /** Query options of the tags in use, fetched when editing begins. */
  vocabulary: { queryKey: readonly unknown[] };
  write: (tags: string[]) => Promise<void>;
}) {
  const { name, tags: before, vocabulary, write } = props;
  const reason = usePermissions().refusal();
  const [draft, setDraft] = useState<string[] | null>(null);
  const [busy, setBusy] = useState(false);
  const known = useQuery({
    ...toQuery<{ tags: string[] }>(vocabulary),
    enabled: draft !== null,
  }).data?.tags;

  const save = async (tags: string[]) => {
    if (JSON.stringify(tags) === JSON.stringify(before)) return setDraft(null);
    setBusy(true);
    try {
      await write(tags);
      setDraft(null);
      toast.undo(`Tags of ${name} were changed`, () => {
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
        {before.length === 0 ? <span className="text-subtle">No tags</span> : <Tags tags={before} max={6} />}
        <IconButton
          label="Edit tags"
          disabledReason={reason}
          size="sm"
          className="size-6"
          icon={<Pencil aria-hidden className="size-3.5!" />}
          onClick={() => setDraft(before)}
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
      <TagInput ref={focus} aria-label={`Tags of ${name}`} value={draft} onValueChange={setDraft} suggestions={known} />
      <Button variant="primary" busy={busy} onClick={() => void save(draft)}>
        Save
      </Button>
      <Button onClick={() => setDraft(null)}>Cancel</Button>
    </span>
  );
}
