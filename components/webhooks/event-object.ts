import type { EventObject, EventObjectKind } from "@/domain/platform-events/event-object";

export const objectLabels: Readonly<Record<EventObjectKind, string>> = {
  dataset: "Dataset",
  export: "Export",
  result: "Result",
  task: "Task",
  run: "Model run",
  project: "Project",
};

/** Kinds of objects that have a page, with its address. */
const pages: Readonly<Partial<Record<EventObjectKind, (uid: string) => string>>> = {
  export: (uid) => `/exports/${uid}`,
  project: (uid) => `/projects/${uid}`,
  task: (uid) => `/tasks/${uid}`,
};

/** The page of what an event is about; null for kinds that have none. */
export const objectHref = ({ kind, uid }: EventObject): string | null => pages[kind]?.(uid) ?? null;
