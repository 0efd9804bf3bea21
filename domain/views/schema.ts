import { z } from "zod";
import { choice, nonBlank, text, uid } from "@/domain/fields";

/** The lists that have saved views. */
export const viewScreens = [
  "devices",
  "recordings",
  "events",
  "rules",
  "alerts",
  "silences",
  "channels",
  "groups",
  "datasets",
  "webhooks",
  "deliveries",
  "exports",
  "slices",
  "projects",
  "tasks",
  "agents",
  "agent-executions",
  "storage",
] as const;
export type ViewScreen = (typeof viewScreens)[number];

/** An organization keeps at most this many views of a list, so that they fit into one menu. */
export const viewsAScreen = 100;

export const ViewFilters = z.object({ screen: choice(viewScreens) });
export type ViewFilters = z.output<typeof ViewFilters>;

export const CreateView = z.object({
  screen: choice(viewScreens),
  name: nonBlank(100),
  /** The query string of the list's address, without the question mark. */
  query: text(2_048),
  shared: z.boolean().optional(),
});
export type CreateView = z.output<typeof CreateView>;

export const ViewUid = z.object({ uid: uid() });
