import { z } from "zod";
import { nonBlank, text } from "@/domain/fields";

/** What a request names of a bucket of one kind. Fields of all kinds lie beside each other, so each is optional. */
export interface StorageFields {
  fields: z.ZodRawShape;
  required: readonly string[];
}

export const storageFields = <F extends z.ZodRawShape, R extends keyof F & string>(kind: {
  fields: F;
  required: readonly R[];
}) => kind;

export const bucketName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/, { error: "Enter a valid bucket name." });
/** Keys in the bucket begin with it. */
export const keyPrefix = text(512).refine((value) => !/\p{Cc}/u.test(value), { error: "Enter a valid prefix." });
export const secret = nonBlank(4_096);
