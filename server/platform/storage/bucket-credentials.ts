import { open, seal } from "@/server/platform/crypto";

/** The secrets of a storage configuration, with names that depend on its kind. They are never shown again. */
export type BucketCredentials = Readonly<Record<string, string | null | undefined>>;

interface Row {
  uid: string;
  organizationId: string;
}

/** Binds sealed credentials to their row: they cannot be opened in another one. */
export const credentialsOwner = ({ uid, organizationId }: Row) => `storage config ${organizationId} ${uid}`;

export const sealCredentials = (row: Row, credentials: BucketCredentials): string =>
  seal(JSON.stringify(credentials), credentialsOwner(row));

export const openCredentials = (row: Row & { credentialsSealed: string }): BucketCredentials =>
  JSON.parse(open(row.credentialsSealed, credentialsOwner(row))) as BucketCredentials;
