-- CreateTable
CREATE TABLE "series_packs" (
    "recording_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "storage_key" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "etag" TEXT NOT NULL,
    "index" BYTEA NOT NULL,
    "written_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "series_packs_pkey" PRIMARY KEY ("recording_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "series_packs_storage_key_key" ON "series_packs"("storage_key");

-- CreateIndex
CREATE INDEX "series_packs_stored_idx" ON "series_packs"("organization_id", "size_bytes");

-- AddForeignKey
ALTER TABLE "series_packs" ADD CONSTRAINT "series_packs_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
