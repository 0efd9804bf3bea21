import { open, seal } from "@/server/platform/crypto";

/** What is never shown again of a storage configuration, by names of the kind's own. */
export type BucketCredentials = Readonly<Record<string, string | null | undefined>>;

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
