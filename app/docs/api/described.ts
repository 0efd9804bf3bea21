import { getDocsOrigin } from "@/app/docs/origin";
import type { OpenApiDocument } from "@/components/api-docs/document";
import { describeApi } from "@/server/composition/openapi";

/** The document for the origin of the current request. It is made of JSON; pages name the members that they show. */
export const describeForRequest = async (): Promise<OpenApiDocument> =>
  describeApi(await getDocsOrigin()) as unknown as OpenApiDocument;
