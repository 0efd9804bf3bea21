-- CreateTable
CREATE TABLE "quiet_evaluations" (
    "recording_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "rule_ids" TEXT[],
    "results" JSONB NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "evaluated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "quiet_evaluations_pkey" PRIMARY KEY ("recording_id")
);

-- CreateIndex
CREATE INDEX "quiet_evaluations_organization_id_evaluated_at_recording_id_idx" ON "quiet_evaluations"("organization_id", "evaluated_at", "recording_id");

-- CreateIndex
CREATE INDEX "quiet_evaluations_rule_ids_idx" ON "quiet_evaluations" USING GIN ("rule_ids");

-- AddForeignKey
ALTER TABLE "quiet_evaluations" ADD CONSTRAINT "quiet_evaluations_recording_id_fkey" FOREIGN KEY ("recording_id") REFERENCES "recordings"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
