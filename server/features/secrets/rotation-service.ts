import { agentSecretOwner } from "@/server/features/agents/service";
import { channelSecretsOwner } from "@/server/features/channels/config";
import { invitationTokenOwner } from "@/server/features/membership/invitation-service";
import { integrationSecretOwner } from "@/server/features/models/integration-secrets";
import { webhookSecretOwner } from "@/server/features/webhooks/service";
import { totpSecretOwner } from "@/server/platform/auth/second-factor";
import { reseal, type Resealed } from "@/server/platform/crypto";
import { Prisma } from "@/server/platform/database/generated/client";
import { execute, prisma, query } from "@/server/platform/db";
import { notNull, text, type Native } from "@/server/platform/rows";
import { credentialsOwner } from "@/server/platform/storage/bucket-credentials";

interface SealedColumn {
  table: string;
  column: string;
  /** The column of whom a row belongs to; an organization by default. */
  holder?: "organization_id" | "user_id" | "model_id";
  /** What a value of a row is sealed for. */
  owner: (holderId: string, uid: string) => string;
}

const ofModel = { table: "model_integrations", holder: "model_id", owner: integrationSecretOwner } as const;
const webhookOwner: SealedColumn["owner"] = (organizationId, uid) => webhookSecretOwner({ organizationId }, uid);

/** Every column with sealed values; a test compares it with the schema. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: "agents", column: "secret_sealed", owner: agentSecretOwner },
  {
    table: "channels",
    column: "secrets_sealed",
    owner: (organizationId, uid) => channelSecretsOwner(uid, organizationId),
  },
  {
    table: "invitations",
    column: "token_sealed",
    owner: (organizationId, uid) => invitationTokenOwner(uid, organizationId),
  },
  { ...ofModel, column: "header_sealed" },
  { ...ofModel, column: "previous_sealed" },
  { ...ofModel, column: "secret_sealed" },
  { table: "second_factors", column: "secret_sealed", holder: "user_id", owner: totpSecretOwner },
  {
    table: "storage_configs",
    column: "credentials_sealed",
    owner: (organizationId, uid) => credentialsOwner({ organizationId, uid }),
  },
  { table: "webhook_subscriptions", column: "secret_sealed", owner: webhookOwner },
  { table: "webhook_subscriptions", column: "previous_sealed", owner: webhookOwner },
];

export interface Rotation {
  resealed: number;
  /** Values that are sealed with the first secret already. */
  current: number;
  /** Values that no secret opens: `table.column uid`. */
  unreadable: string[];
}

const sealedRow = { uid: text, holder: text, sealed: notNull(text) };
type SealedRow = Native<typeof sealedRow>;

/** Seals the value of a row again. One that was changed meanwhile is sealed with the first secret already. */
async function resealRow(place: SealedColumn, row: SealedRow): Promise<Resealed["state"]> {
  const result = reseal(row.sealed, place.owner(row.holder, row.uid));
  if (result.state !== "resealed") return result.state;
  const [from, name] = [Prisma.raw(place.table), Prisma.raw(place.column)];
  await execute(
    { db: prisma },
    Prisma.sql`update ${from} set ${name} = ${result.sealed} where uid = ${row.uid} and ${name} = ${row.sealed}`,
  );
  return result.state;
}

/** Seals everything with the first secret that another one sealed. May be repeated, also while Muster runs. */
export async function rotateSecrets(): Promise<Rotation> {
  const rotation: Rotation = { resealed: 0, current: 0, unreadable: [] };
  for (const place of sealedColumns) {
    const [from, name] = [Prisma.raw(place.table), Prisma.raw(place.column)];
    for (let after: string | undefined = ""; after !== undefined;) {
      const rows: SealedRow[] = await query(
        { db: prisma },
        sealedRow,
        Prisma.sql`select uid, ${Prisma.raw(place.holder ?? "organization_id")} as holder, ${name} as sealed from ${from}
          where uid > ${after} and ${name} is not null order by uid limit 500`,
      );
      for (const row of rows) {
        const state = await resealRow(place, row);
        if (state === "unreadable") rotation.unreadable.push(`${place.table}.${place.column} ${row.uid}`);
        else rotation[state]++;
      }
      after = rows.at(-1)?.uid;
    }
  }
  return rotation;
}
