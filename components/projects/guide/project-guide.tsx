"use client";

import { useQueryClient } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/kit/button";
import { PageBody } from "@/components/kit/page-header";
import { readFailure } from "@/components/product/failure";
import { GuideMarkdown } from "@/components/product/markdown/guide-markdown";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPC, useTRPCClient, type Outputs } from "@/components/trpc/client";
import { messageAt } from "@/domain/issues";
import { UpdateProject } from "@/domain/projects/schema";
import { GuideBox } from "./guide-box";

type GuidedProject = Pick<Outputs["projects"]["overviewOf"], "uid" | "name" | "guide">;

/** What who labels has to know; admins write it. */
export function ProjectGuide({ project }: { project: GuidedProject }) {
  const [isEdited, setEdited] = useState(false);
  const reason = usePermissions().refusal({ role: "admin" });
  if (isEdited)
    return (
      <PageBody narrow>
        <GuideForm project={project} onClose={() => setEdited(false)} />
      </PageBody>
    );
  const isEmpty = project.guide.trim() === "";
  return (
    <PageBody narrow className="gap-4">
      {isEmpty ? (
        <p className="text-table text-muted">
          No guide yet. It says what counts as which label and what to leave out; who labels reads it beside the
          picture.
        </p>
      ) : (
        <GuideMarkdown text={project.guide} />
      )}
      <Button
        className="self-start"
        icon={<Pencil aria-hidden />}
        disabledReason={reason}
        onClick={() => setEdited(true)}
      >
        {isEmpty ? "Write guide" : "Edit guide"}
      </Button>
    </PageBody>
  );
}

function GuideForm({ project, onClose }: { project: GuidedProject; onClose: () => void }) {
  const { uid, name, guide } = project;
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queryClient = useQueryClient();
  const [text, setText] = useState(guide);
  const [refused, setRefused] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  const parsed = UpdateProject.shape.guide.safeParse(text);
  const error = refused ?? parsed.error?.issues[0]?.message;

  const save = async () => {
    setSaving(true);
    try {
      await client.projects.update.mutate({ uid, change: { guide: text } });
      toast.success(`Guide of ${name} saved`);
      await queryClient.invalidateQueries(trpc.projects.pathFilter());
      onClose();
    } catch (failure) {
      const message =
        messageAt(readFailure(failure).issues, "change", "guide") ?? messageAt(readFailure(failure).issues, "guide");
      setRefused(message);
      if (message === undefined) toast.failure(failure, { title: `The guide of ${name} was not saved` });
    } finally {
      setSaving(false);
    }
  };
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <GuideBox
        value={text}
        error={error}
        onValueChange={(next) => {
          setRefused(undefined);
          setText(next);
        }}
      />
      <div className="flex flex-wrap gap-2">
        <Button
          variant="primary"
          busy={isSaving}
          disabledReason={error ?? (text === guide ? "Nothing has changed." : undefined)}
          onClick={() => void save()}
        >
          Save guide
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </div>
  );
}
