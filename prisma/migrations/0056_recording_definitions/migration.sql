-- CreateTable
CREATE TABLE "recording_definitions" (
    "recording_id" TEXT NOT NULL,
    "found" JSONB NOT NULL,

    CONSTRAINT "recording_definitions_pkey" PRIMARY KEY ("recording_id")
);

-- AddForeignKey
ALTER TABLE "recording_definitions" ADD CONSTRAINT "recording_definitions_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
