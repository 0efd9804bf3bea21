import { z } from "zod";

/** Shared by every list, so that the API's description has them once. */
export const nextPage = z.string().nullable().describe("The address of the next page; null on the last one.");
export const previousPage = z.string().nullable().describe("The address of the previous page; null on the first one.");

/** The envelope of every list: URLs (or null) of the neighbouring pages, and the rows. */
export const toPageSchema = <T extends z.ZodType>(resource: T) =>
  z.object({ next: nextPage, previous: previousPage, results: z.array(resource) });

/** The envelope of lists that also have a maintained count. */
export const toCountedPageSchema = <T extends z.ZodType>(resource: T) =>
  toPageSchema(resource).extend({ count: z.int() });
