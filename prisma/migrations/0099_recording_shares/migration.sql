-- CreateTable
CREATE TABLE "recording_shares" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "recording_id" TEXT NOT NULL,
    "from_ns" BIGINT NOT NULL,
    "to_ns" BIGINT NOT NULL,
    "note" TEXT NOT NULL DEFAULT '',
    "plots" JSONB NOT NULL DEFAULT '[]',
    "token_hash" TEXT NOT NULL,
    "created_by_id" TEXT,
    "created_by_name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),
    "opened_count" INTEGER NOT NULL DEFAULT 0,
    "last_opened_at" TIMESTAMPTZ(3),

    CONSTRAINT "recording_shares_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE UNIQUE INDEX "recording_shares_token_hash_key" ON "recording_shares"("token_hash");

-- CreateIndex
CREATE INDEX "recording_shares_recording_id_uid_idx" ON "recording_shares"("recording_id", "uid");

-- CreateIndex
CREATE INDEX "recording_shares_expires_at_idx" ON "recording_shares"("expires_at");

-- AddForeignKey
ALTER TABLE "recording_shares" ADD CONSTRAINT "recording_shares_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
