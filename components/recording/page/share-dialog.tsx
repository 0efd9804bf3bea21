"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { Checkbox } from "@/components/kit/checkbox";
import { CopyButton } from "@/components/kit/copy-button";
import { Dialog, DialogActions } from "@/components/kit/dialog";
import { Field } from "@/components/kit/field";
import { Select, type Option } from "@/components/kit/select";
import { Textarea } from "@/components/kit/textarea";
import { InstantTime } from "@/components/kit/time";
import { readFailure } from "@/components/product/failure";
import { useTimeline } from "@/components/recording/session/timeline-context";
import { formatPath, parsePath } from "@/components/recording/session/topic-path";
import { useTRPC, type Outputs } from "@/components/trpc/client";
import { maxNoteLength, maxSharedPlots, type ShareDays } from "@/domain/shares/schema";
import { RangeFields, useTypedRange } from "./range-fields";
import { ShareList } from "./share-list";

const lifetimes: readonly Option<ShareDays>[] = [
  { value: "1", label: "After a day" },
  { value: "7", label: "After 7 days" },
  { value: "30", label: "After 30 days" },
];

/** Makes links to a range of the recording for people without an account, and revokes them. */
export function ShareDialog({ onClose }: { onClose: () => void }) {
  const { recording, plots, findings } = useTimeline();
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  const typed = useTypedRange();
  const { from, to, isOrdered } = typed;
  const [days, setDays] = useState<ShareDays>("7");
  const [note, setNote] = useState("");
  const [withPlots, setWithPlots] = useState(true);
  const fields = [...new Set([...plots, ...findings])]
    .flatMap((path) => parsePath(path, recording.topics) ?? [])
    .slice(0, maxSharedPlots);
  const [created, setCreated] = useState<Outputs["shares"]["create"] | null>(null);
  const [refusal, setRefusal] = useState<string | null>(null);
  const create = useMutation(trpc.shares.create.mutationOptions());
  const noteLength = [...note].length;
  const isReady = isOrdered && noteLength <= maxNoteLength;
  const submit = async () => {
    if (!isReady || create.isPending) return;
    setRefusal(null);
    try {
      const wanted = {
        uid: recording.uid,
        from: String(from),
        to: String(to),
        note,
        days,
        plots: withPlots ? fields : [],
      };
      setCreated(await create.mutateAsync(wanted));
      await queryClient.invalidateQueries(trpc.shares.list.pathFilter());
    } catch (error) {
      const { issues, detail } = readFailure(error);
      setRefusal(issues[0]?.message ?? detail);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      title="Share outside"
      description="Whoever has the link sees this range without an account, and can download it. Nothing else is reachable by it."
      footer={
        created === null ? (
          <>
            <p className="mr-auto text-table text-critical-text" role="status">
              {refusal}
            </p>
            <DialogActions
              action="Create link"
              busy={create.isPending}
              disabled={!isReady}
              onAction={submit}
              onCancel={onClose}
            />
          </>
        ) : (
          <>
            <Button onClick={() => setCreated(null)}>Create another</Button>
            <Button variant="primary" onClick={onClose}>
              Done
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-6">
        {created === null ? (
          <form
            className="flex flex-col gap-4"
            onSubmit={(event) => {
              event.preventDefault();
              void submit();
            }}
          >
            <RangeFields typed={typed} />
            <Field label="Expires">
              <Select value={days} onValueChange={setDays} options={lifetimes} />
            </Field>
            <Field
              label="Note"
              optional
              hint="Shown with the recording, such as what to look at."
              error={noteLength > maxNoteLength ? `At most ${maxNoteLength} characters.` : undefined}
            >
              <Textarea value={note} onChange={(event) => setNote(event.currentTarget.value)} />
            </Field>
            {fields.length > 0 && (
              <Checkbox
                label={
                  <>
                    With plots of{" "}
                    <span className="font-mono text-meta break-all">{fields.map(formatPath).join(", ")}</span>
                  </>
                }
                checked={withPlots}
                onCheckedChange={setWithPlots}
              />
            )}
            <button type="submit" hidden />
          </form>
        ) : (
          <NewLink url={created.url} expiresAt={created.expires_at} />
        )}
        <ShareList uid={recording.uid} />
      </div>
    </Dialog>
  );
}

/** A link, this once: only its hash is stored. */
function NewLink({ url, expiresAt }: { url: string; expiresAt: string }) {
  return (
    <section aria-label="New link" ref={takeFocus} tabIndex={-1} className="flex flex-col gap-3 outline-none">
      <p className="text-table text-muted">
        This is the only time that it is shown. It works until <InstantTime value={expiresAt} precision="minute" />, or
        until it is revoked.
      </p>
      <div className="flex min-w-0 items-center gap-2 rounded-panel border border-border-strong bg-background py-1 pr-1 pl-3">
        <code aria-label="Link" className="min-w-0 flex-1 font-mono text-table break-all select-all">
          {url}
        </code>
        <CopyButton text={url} label="Copy" name="Copy link" variant="primary" />
      </div>
    </section>
  );
}

/** What was pressed is gone. */
const takeFocus = (section: HTMLElement | null): void => section?.focus();
