import { open, seal } from "@/server/platform/crypto";

/** What is never shown again of a storage configuration. */
export interface BucketCredentials {
  accessKeyId?: string | undefined;
  secretAccessKey?: string | undefined;
  cloudfrontDomain?: string | null | undefined;
  cloudfrontPublicKeyId?: string | null | undefined;
  /** The key file of a service account, as text. */
  serviceAccount?: string | undefined;
}

interface Row {
  uid: string;
  organizationId: string;
}

/** Which row sealed credentials belong to: moved to another they do not open. */
const owner = ({ uid, organizationId }: Row) => `storage config ${organizationId} ${uid}`;

export const sealCredentials = (row: Row, credentials: BucketCredentials): string =>
  seal(JSON.stringify(credentials), owner(row));

export const openCredentials = (row: Row & { credentialsSealed: string }): BucketCredentials =>
  JSON.parse(open(row.credentialsSealed, owner(row))) as BucketCredentials;
