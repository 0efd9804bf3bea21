"use client";

import { useEffect, useMemo, useState } from "react";
import { v4 as uuidv4 } from "uuid";
import { Button } from "@/components/kit/button";
import { Skeleton } from "@/components/kit/skeleton";
import { usePermissions } from "@/components/product/permissions";
import { toast } from "@/components/product/toast";
import { useTRPCClient } from "@/components/trpc/client";
import type { DraftOp, DraftShape } from "@/domain/annotations/draft-schema";
import { applyOps, listByPosition, type DraftShapes } from "@/domain/annotations/draft-shape";
import type { DraftKeeper } from "../drafts/draft-keeper";
import { DraftStore } from "../drafts/draft-store";
import { MemoryDraft } from "../drafts/memory-draft";
import { Editor } from "../editor";
import type { PictureSource } from "../stage/editor-picture";
import type { KeptWork } from "../store/editor-snapshot";
import type { ReviewedTask, StoredResult } from "./query";
import { useResultShapes } from "./result-shapes";

interface ReviseEditorProps {
  organization: string;
  found: ReviewedTask;
  result: StoredResult;
  picture: PictureSource;
  onRevised: () => void;
  onCancel: () => void;
}

/** What was changed of a result and not sent yet. */
interface Work {
  keeper: DraftKeeper;
  shapes: DraftShapes;
  kept: KeptWork | null;
}

const toMap = (shapes: Iterable<DraftShape>): DraftShapes => new Map(Array.from(shapes, (shape) => [shape.id, shape]));

/** A result as its reviewer would have it. Changes are kept in this browser until they are sent. */
export function ReviseEditor({ organization, found, result, picture, onRevised, onCancel }: ReviseEditorProps) {
  const client = useTRPCClient();
  const { userUid } = usePermissions();
  const { labels } = found.project;
  const own = useResultShapes(result, labels);
  const [work, setWork] = useState<Work | null>(null);
  const [isSending, setSending] = useState(false);
  const [key] = useState(() => uuidv4());
  const { uid } = result;
  useEffect(() => {
    if (own.length < result.annotations.length) return;
    let isOver = false;
    let opened: DraftKeeper | null = null;
    const open = async () => {
      const owner = { organization, user: userUid, task: `revise ${uid}` };
      const keeper: DraftKeeper = await DraftStore.open(owner).catch(() => new MemoryDraft());
      if (isOver) return keeper.close();
      opened = keeper;
      const { ops, kept } = await keeper.read();
      const shapes = applyOps(
        toMap(own.flatMap((shape) => shape ?? [])),
        ops.map(({ op }) => op),
      );
      if (!isOver) setWork({ keeper, shapes, kept });
    };
    void open();
    return () => {
      isOver = true;
      opened?.close();
    };
  }, [own, result, organization, userUid, uid]);
  const given = useMemo(() => work && listByPosition(work.shapes.values()), [work]);
  const [now] = useState<{ ops: DraftOp[] }>({ ops: [] });

  if (!work || !given) return <Skeleton className="m-3 flex-1" />;
  const send = async () => {
    setSending(true);
    try {
      const byId = new Map(labels.map((label) => [label.id, label.name]));
      const shapes = listByPosition(applyOps(work.shapes, now.ops).values());
      const annotations = shapes.map(({ id, label_id, position: _, ...shape }) => ({
        ...shape,
        label: byId.get(label_id) ?? label_id,
        attributes: { ...shape.attributes, id },
      }));
      await client.results.revise.mutate({ uid, annotations, key });
      await work.keeper.clear();
      onRevised();
    } catch (error) {
      setSending(false);
      toast.failure(error, { title: "The correction was not sent" });
    }
  };
  const drop = async () => {
    await work.keeper.clear();
    onCancel();
  };
  return (
    <Editor
      picture={picture}
      labels={labels}
      shapes={given}
      kept={work.kept}
      readOnly={isSending ? "Sending…" : undefined}
      onOps={(ops, kept) => {
        now.ops.push(...ops);
        work.keeper
          .add(ops, kept)
          .catch((error: unknown) => toast.failure(error, { title: "This browser does not keep the change" }));
      }}
      onSubmit={() => void send()}
      head={
        <>
          <p className="min-w-0 truncate text-table">
            <span className="font-medium">Your correction</span>
            <span className="text-muted"> of {found.item.key}: Submit accepts it in place of the result.</span>
          </p>
          <Button size="sm" variant="ghost" onClick={() => void drop()}>
            Discard
          </Button>
        </>
      }
    />
  );
}
