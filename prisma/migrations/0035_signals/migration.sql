-- CreateTable
CREATE TABLE "signal_sets" (
    "recording_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "files" INTEGER NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "error" TEXT,
    "written_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "signal_sets_pkey" PRIMARY KEY ("recording_id")
);

-- CreateTable
CREATE TABLE "signal_files" (
    "recording_id" TEXT NOT NULL,
    "topic" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "storage_key" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "row_count" BIGINT NOT NULL,
    "etag" TEXT NOT NULL,
    "fields" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "signal_files_pkey" PRIMARY KEY ("recording_id","topic")
);

-- CreateIndex
CREATE INDEX "signal_sets_stored_idx" ON "signal_sets"("organization_id", "size_bytes", "files") WHERE (prefix !~~ 'bucket/%');

-- CreateIndex
CREATE UNIQUE INDEX "signal_files_storage_key_key" ON "signal_files"("storage_key");

-- CreateIndex
CREATE INDEX "signal_files_organization_id_topic_recording_id_idx" ON "signal_files"("organization_id", "topic", "recording_id");

-- AddForeignKey
ALTER TABLE "signal_sets" ADD CONSTRAINT "signal_sets_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "signal_files" ADD CONSTRAINT "signal_files_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
