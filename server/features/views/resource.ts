import { z } from "zod";
import { viewScreens } from "@/domain/views/schema";

export const ViewResource = z.object({
  uid: z.string(),
  screen: z.enum(viewScreens),
  name: z.string(),
  query: z.string(),
  shared: z.boolean(),
  /** Username of the owner. */
  owner: z.string(),
  /** Whether the caller may delete it. */
  removable: z.boolean(),
});
export type ViewResource = z.output<typeof ViewResource>;
