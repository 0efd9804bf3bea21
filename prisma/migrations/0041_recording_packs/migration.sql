-- CreateTable
CREATE TABLE "recording_packs" (
    "recording_id" TEXT NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "recording_packs_pkey" PRIMARY KEY ("recording_id")
);

-- AddForeignKey
ALTER TABLE "recording_packs" ADD CONSTRAINT "recording_packs_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
