import { z } from "zod";
import { nonBlank, text } from "@/domain/fields";

/** Fields of a bucket of one kind in a request. Those of all kinds share one object, so each is optional. */
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
/** The prefix of keys in the bucket. */
export const keyPrefix = text(512).refine((value) => !/\p{Cc}/u.test(value), { error: "Enter a valid prefix." });
export const secret = nonBlank(4_096);
