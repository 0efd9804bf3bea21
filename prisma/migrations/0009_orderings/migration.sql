-- DropIndex
DROP INDEX "tasks_batch_id_idx";

-- CreateIndex
CREATE INDEX "datasets_organization_id_name_uid_idx" ON "datasets"("organization_id", "name", "uid");

-- CreateIndex
CREATE INDEX "model_runs_integration_id_uid_idx" ON "model_runs"("integration_id", "uid");

-- CreateIndex
CREATE INDEX "slices_organization_id_name_uid_idx" ON "slices"("organization_id", "name", "uid");

-- CreateIndex
CREATE INDEX "slices_dataset_id_name_uid_idx" ON "slices"("dataset_id", "name", "uid");

-- CreateIndex
CREATE INDEX "tasks_batch_id_uid_idx" ON "tasks"("batch_id", "uid");
