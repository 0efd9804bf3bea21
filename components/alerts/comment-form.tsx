"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState, type KeyboardEvent } from "react";
import { Button } from "@/components/kit/button";
import { Textarea } from "@/components/kit/textarea";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient } from "@/components/trpc/client";
import { maxTextLength } from "@/domain/limits";

/** Adds a comment under one's name. Ctrl+Enter sends, Escape leaves the box. */
export function CommentForm({ uid }: { uid: string }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const reason = usePermissions().refusal();
  const [body, setBody] = useState("");
  const [busy, setBusy] = useState(false);
  const send = async () => {
    if (body.trim() === "" || busy) return;
    setBusy(true);
    try {
      await client.alerts.comment.mutate({ uid, body });
      setBody("");
      await queryClient.invalidateQueries(trpc.alerts.timeline.queryFilter({ uid }));
    } catch (error) {
      toast.failure(error, { title: "The comment was not added", onRetry: () => void send() });
    } finally {
      setBusy(false);
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void send();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      event.currentTarget.blur();
    }
  };
  return (
    <div className="flex flex-col items-start gap-2">
      <Textarea
        data-comment-box
        aria-label="Comment"
        placeholder={reason ?? "Add a comment"}
        readOnly={reason !== undefined}
        rows={2}
        maxLength={maxTextLength}
        value={body}
        onChange={(event) => setBody(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Button size="sm" busy={busy} disabled={body.trim() === ""} disabledReason={reason} onClick={() => void send()}>
        Comment
      </Button>
    </div>
  );
}
