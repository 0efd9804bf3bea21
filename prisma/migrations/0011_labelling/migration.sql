-- AlterTable
ALTER TABLE "model_runs" ADD COLUMN     "recording_id" TEXT,
ADD COLUMN     "rule_id" TEXT;

-- CreateIndex
CREATE UNIQUE INDEX "model_runs_rule_id_recording_id_integration_id_key" ON "model_runs"("rule_id", "recording_id", "integration_id");
