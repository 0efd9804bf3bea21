"use client";

import { useEffect, useMemo, useState } from "react";
import { v4 as uuidv4 } from "uuid";
import { loadPart } from "@/components/kit/part-loading";
import type { DraftShape } from "@/domain/annotations/draft-schema";
import type { TaskForEditor } from "./query";

const none: readonly DraftShape[] = [];

/** The annotations of a result as shapes, by labels that may have been renamed since. Those that are none are left out. */
async function readResult(
  { annotations }: TaskForEditor["earlier"][number],
  labels: TaskForEditor["project"]["labels"],
): Promise<DraftShape[]> {
  // Only to look at what was submitted: who labels does not load the schemas.
  const { DraftShape: Schema } = await loadPart(() => import("@/domain/annotations/draft-schema"));
  return annotations.flatMap(({ label: name, ...annotation }, position) => {
    const label = labels.find((each) => each.name === name) ?? labels.find(({ aliases }) => aliases.includes(name));
    const id = annotation.attributes["id"];
    const shape = Schema.safeParse({
      ...annotation,
      id: typeof id === "string" ? id : uuidv4(),
      label_id: label?.id ?? name,
      position,
    });
    return shape.success ? shape.data : [];
  });
}

/** What a page shows that does not work on a task: what is drawn, else what was submitted last. */
export function useShownShapes({ draft, earlier, project }: TaskForEditor): readonly DraftShape[] {
  const [read, setRead] = useState<readonly DraftShape[]>(none);
  const [latest] = earlier;
  const { labels } = project;
  useEffect(() => {
    if (draft || !latest) return;
    let isOver = false;
    void readResult(latest, labels).then((shapes) => !isOver && setRead(shapes));
    return () => void (isOver = true);
  }, [draft, latest, labels]);
  return useMemo(() => draft?.shapes ?? read, [draft, read]);
}
