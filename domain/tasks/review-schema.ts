import { z } from "zod";
import { uid } from "@/domain/fields";

/** Two results of a task. */
export const CompareResults = z.object({ a: uid(), b: uid() });
export type CompareResults = z.output<typeof CompareResults>;
