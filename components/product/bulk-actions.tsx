"use client";

import { Tag, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import { Button } from "@/components/kit/button";
import { ConfirmDialog } from "@/components/kit/confirm-dialog";
import { plural } from "@/components/kit/format";
import { TagDialog } from "./tag-dialog";
import { toast } from "./toast";

interface Target {
  uid: string;
  tags: string[];
}

/** The result of a bulk call, one entry per object. */
export interface BulkResult {
  succeeded: number;
  failed: number;
  results: readonly { uid: string; ok: boolean; error: string | null; added?: string[]; removed?: string[] }[];
}

interface TagChange {
  uids: string[];
  add: string[];
  remove: string[];
}

export interface BulkOptions<Each extends Target> {
  /** "recording". */
  noun: string;
  getName: (target: Each) => string;
  tagMany: (change: TagChange) => Promise<BulkResult>;
  deleteMany: (change: { uids: string[] }) => Promise<BulkResult>;
  onDeleted: (uids: readonly string[]) => void;
  /** Refetches what has changed. */
  refresh: () => Promise<unknown>;
  /** Query options of the tags in use. */
  vocabulary: { queryKey: readonly unknown[] };
  /** The text of the confirmation before deleting, and what has to be typed, if anything. */
  deletion: (targets: { count: number; name: string }) => { description: string; typeToConfirm?: string };
}

/** Tagging and deleting one object or many, with their dialogs. */
export function useBulkActions<Each extends Target>(options: BulkOptions<Each>) {
  const { noun, getName, tagMany, deleteMany, onDeleted, refresh, vocabulary } = options;
  const [targets, setTargets] = useState<readonly Each[]>([]);
  const [kind, setKind] = useState<"tag" | "delete" | null>(null);
  const uids = targets.map(({ uid }) => uid);
  const openDialog = (next: "tag" | "delete") => (chosen: readonly Each[]) => {
    setTargets(chosen);
    setKind(next);
  };

  /** Reports what was done, with Undo where possible, and which objects failed. */
  const report = (result: BulkResult, done: string, undo?: () => Promise<unknown>) => {
    if (result.succeeded > 0) {
      const title = `${plural(result.succeeded, noun)} ${done}`;
      if (undo) toast.undo(title, () => void undo().then(refresh, (error: unknown) => toast.failure(error)));
      else toast.success(title);
    }
    if (result.failed > 0)
      toast.failure(new Error(reasons(result)), { title: `${plural(result.failed, noun)} not ${done}` });
  };
  /** Runs an action and refetches; if all of it fails, a toast with `title` offers a retry. */
  const run = async (title: string, work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      toast.failure(error, { title, onRetry: () => void run(title, work) });
      return;
    }
    await refresh();
  };

  const tag = (add: readonly string[], remove: readonly string[]) =>
    run("No tag was changed", async () => {
      const result = await tagMany({ uids, add: [...add], remove: [...remove] });
      report(result, "tagged", async () => {
        for (const change of buildTagUndo(result, add, remove)) await tagMany(change);
      });
    });
  const remove = async () => {
    try {
      const result = await deleteMany({ uids });
      report(result, "deleted");
      onDeleted(result.results.flatMap(({ uid, ok }) => (ok ? [uid] : [])));
    } catch (error) {
      toast.failure(error, { title: "Nothing was deleted" });
      throw error;
    }
    await refresh();
  };

  const [first] = targets;
  const only = targets.length === 1 ? first : undefined;
  const name = only ? getName(only) : plural(targets.length, noun);
  const dialogs = first && (
    <>
      <TagDialog
        key={`${first.uid} ${kind === "tag"}`}
        open={kind === "tag"}
        onClose={() => setKind(null)}
        noun={name}
        tags={only?.tags}
        query={vocabulary}
        onSave={tag}
      />
      <ConfirmDialog
        open={kind === "delete"}
        onOpenChange={(open) => !open && setKind(null)}
        title={`Delete ${name}?`}
        action={`Delete ${only ? noun : name}`}
        {...options.deletion({ count: targets.length, name })}
        onConfirm={remove}
      />
    </>
  );
  return { report, run, editTags: openDialog("tag"), confirmDelete: openDialog("delete"), dialogs };
}

const reasons = ({ results }: BulkResult): string =>
  [...new Set(results.flatMap(({ error }) => (error === null ? [] : [error])))].slice(0, 3).join(" ");

/** The calls that undo a change of tags: tag by tag, only on the objects that it changed. */
export function buildTagUndo(result: BulkResult, added: readonly string[], removed: readonly string[]): TagChange[] {
  const uidsWith = (tags: "added" | "removed", tag: string) =>
    result.results.flatMap((each) => (each[tags]?.includes(tag) ? [each.uid] : []));
  return [
    ...added.map((tag) => ({ uids: uidsWith("added", tag), add: [], remove: [tag] })),
    ...removed.map((tag) => ({ uids: uidsWith("removed", tag), add: [tag], remove: [] })),
  ].filter(({ uids }) => uids.length > 0);
}

/** The buttons for ticked rows; `children` stand between the two. */
export function BulkButtons(props: {
  onTag: () => void;
  onDelete: () => void;
  /** Why the person may not do it. */
  tagReason: string | undefined;
  deleteReason: string | undefined;
  children?: ReactNode;
}) {
  return (
    <>
      <Button icon={<Tag aria-hidden />} disabledReason={props.tagReason} onClick={props.onTag}>
        Tag
      </Button>
      {props.children}
      <Button
        variant="danger-quiet"
        icon={<Trash2 aria-hidden />}
        disabledReason={props.deleteReason}
        onClick={props.onDelete}
      >
        Delete
      </Button>
    </>
  );
}
