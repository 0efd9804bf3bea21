import type { PlatformEventType } from "@/domain/platform-events/schema";

/** What an event is about. */
export const eventObjectKinds = ["dataset", "export", "result", "task", "run", "project"] as const;
export type EventObjectKind = (typeof eventObjectKinds)[number];

export interface EventObject {
  kind: EventObjectKind;
  uid: string;
  /** Empty where the event does not name it. */
  name: string;
}

// A result's event names its task and project as well, so the order matters.
const members: readonly (readonly [EventObjectKind, uid: string, name: string | null])[] = [
  ["dataset", "dataset_uid", "name"],
  ["export", "export_uid", "name"],
  ["result", "result_uid", "task_name"],
  ["task", "task_uid", "task_name"],
  ["run", "job_uid", null],
  ["project", "project_uid", null],
];

/** The object that the payload of an event is about; null for a test. */
export function findEventObject(payload: Readonly<Record<string, unknown>>): EventObject | null {
  for (const [kind, uidMember, nameMember] of members) {
    const uid = payload[uidMember];
    if (typeof uid !== "string" || uid === "") continue;
    const name = nameMember === null ? "" : payload[nameMember];
    return { kind, uid, name: typeof name === "string" ? name : "" };
  }
  return null;
}

type AreaOf<Event extends string> = Event extends `${infer Area}.${string}` ? Area : never;

/** What the events of an area are about: the kind of object, and the member that names it. */
export const eventAreas: Readonly<Record<AreaOf<PlatformEventType>, readonly [EventObjectKind, uidMember: string]>> = {
  dataset: ["dataset", "dataset_uid"],
  export: ["export", "export_uid"],
  task: ["task", "task_uid"],
  result: ["result", "result_uid"],
  auto_label: ["run", "job_uid"],
  quality: ["project", "project_uid"],
};
