import { promptKinds } from "@/domain/models/prompt";
import { LabelMap } from "@/domain/models/schema";
import { databaseNow } from "@/server/platform/clock";
import { open } from "@/server/platform/crypto";
import { arrayOf, jsonb, type Native, notNull, nullable, oneOf, text, timestamptz } from "@/server/platform/rows";

/** The columns of an integration that asking it needs. */
export const usableIntegrationRow = {
  uid: text,
  model_id: text,
  provider: text,
  url: text,
  model_name: text,
  secret_sealed: nullable(text),
  previous_sealed: nullable(text),
  previous_until: nullable(timestamptz),
  header_name: text,
  header_sealed: nullable(text),
  label_map: jsonb(LabelMap),
  prompts: notNull(arrayOf(oneOf(promptKinds))),
};
export type UsableIntegration = Native<typeof usableIntegrationRow>;

/** The row that secrets of an integration are sealed for: they cannot be opened in another row. */
export const integrationSecretOwner = (modelId: string, uid: string) => `integration ${modelId} ${uid}`;

export interface OpenedSecrets {
  /** What signs; null for an integration that was made before requests were signed. */
  secret: string | null;
  previousSecret: string | undefined;
  /** The value of its own header. */
  headerValue: string | null;
}

/** Opens what an integration is asked with: the secret before also signs for a while. */
export function openIntegrationSecrets(integration: UsableIntegration): OpenedSecrets {
  const { uid, model_id: modelId, previous_until: until } = integration;
  const read = (sealed: string | null) => (sealed === null ? null : open(sealed, integrationSecretOwner(modelId, uid)));
  const isPrevious = until !== null && until > databaseNow();
  return {
    secret: read(integration.secret_sealed),
    previousSecret: (isPrevious ? read(integration.previous_sealed) : null) ?? undefined,
    headerValue: read(integration.header_sealed),
  };
}
