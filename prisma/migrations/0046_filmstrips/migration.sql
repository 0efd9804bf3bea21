-- CreateTable
CREATE TABLE "filmstrips" (
    "recording_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "storage_key" TEXT,
    "size_bytes" BIGINT NOT NULL DEFAULT 0,
    "cameras" JSONB NOT NULL DEFAULT '[]',
    "error" TEXT,
    "made_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "filmstrips_pkey" PRIMARY KEY ("recording_id")
);

-- CreateIndex
CREATE INDEX "filmstrips_stored_idx" ON "filmstrips"("organization_id", "size_bytes") WHERE (storage_key is not null);

-- AddForeignKey
ALTER TABLE "filmstrips" ADD CONSTRAINT "filmstrips_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
