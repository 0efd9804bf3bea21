"use client";

import { useEffect, useState } from "react";
import { loadPart } from "@/components/kit/part-loading";
import type { DraftShape } from "@/domain/annotations/draft-schema";
import type { EditorLabel } from "@/domain/annotations/editor-label";
import type { StoredResult } from "./query";

/** The labels of a project, with the names that they had. */
type NamedLabels = readonly (EditorLabel & { aliases: readonly string[] })[];

/** The annotations of a result as shapes, each at its place in it; undefined where it cannot be drawn. */
export type ResultShapes = readonly (DraftShape | undefined)[];

/** The id of a shape that has none of its own: the same whenever the result is read. */
const toShapeId = (result: string, position: number): string =>
  `${result.slice(0, -12)}${position.toString(16).padStart(12, "0")}`;

async function readShapes({ uid, annotations }: StoredResult, labels: NamedLabels): Promise<ResultShapes> {
  // The schemas are loaded only where something has to be checked by them.
  const { DraftShape: Schema } = await loadPart(() => import("@/domain/annotations/draft-schema"));
  const ids = new Set<string>();
  return annotations.map(({ label: name, ...annotation }, position) => {
    const label = labels.find((each) => each.name === name) ?? labels.find(({ aliases }) => aliases.includes(name));
    const rest = { ...annotation, label_id: label?.id ?? name, position };
    const own = Schema.safeParse({ ...rest, id: annotation.attributes["id"] });
    const isOwn = own.success && !ids.has(own.data.id);
    const found = isOwn ? own : Schema.safeParse({ ...rest, id: toShapeId(uid, position) });
    if (found.success) ids.add(found.data.id);
    return found.data;
  });
}

const none: ResultShapes = [];

/** The shapes of a result, none until they are read. Keep `labels` stable. */
export function useResultShapes(result: StoredResult | undefined, labels: NamedLabels): ResultShapes {
  const [read, setRead] = useState<{ of: StoredResult; shapes: ResultShapes } | null>(null);
  useEffect(() => {
    if (!result) return;
    let isOver = false;
    void readShapes(result, labels).then((shapes) => !isOver && setRead({ of: result, shapes }));
    return () => void (isOver = true);
  }, [result, labels]);
  return read && read.of === result ? read.shapes : none;
}
