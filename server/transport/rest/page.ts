import { z } from "zod";

/** The envelope of every list: URLs (or null) of the neighbouring pages, and the rows. */
export const toPageSchema = <T extends z.ZodType>(resource: T) =>
  z.object({ next: z.string().nullable(), previous: z.string().nullable(), results: z.array(resource) });

/** The envelope of lists that also have a maintained count. */
export const toCountedPageSchema = <T extends z.ZodType>(resource: T) =>
  toPageSchema(resource).extend({ count: z.int() });
