import { z } from "zod";

/**
 * Publishes another schema in the API's description in place of one that reads text or checks in steps. Changes nothing
 * about what is accepted.
 */
export function publishedAs<Schema extends z.ZodType>(schema: Schema, published: z.ZodType): Schema {
  schema._zod.processJSONSchema = (ctx, _json, params) => {
    z.core.processSchema(published, ctx, params);
    const seen = ctx.seen.get(schema);
    if (seen) seen.ref = published;
  };
  return schema;
}

/** Publishes an object with variants, exactly one of which holds besides its own members. */
export function publishedVariants<Schema extends z.ZodObject>(schema: Schema, variants: readonly z.ZodType[]): Schema {
  const publish = schema._zod.processJSONSchema;
  schema._zod.processJSONSchema = (ctx, json, params) => {
    publish?.(ctx, json, params);
    json.oneOf = variants.map((variant, index) =>
      z.core.processSchema(variant, ctx, { ...params, path: [...params.path, "oneOf", index] }),
    );
  };
  return schema;
}
