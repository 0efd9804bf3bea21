-- CreateIndex
CREATE INDEX "datasets_status_updated_at_idx" ON "datasets"("status", "updated_at");

-- CreateIndex
CREATE INDEX "exports_updated_at_idx" ON "exports"("updated_at") WHERE (completed_at IS NULL);

-- CreateIndex
CREATE INDEX "model_runs_updated_at_idx" ON "model_runs"("updated_at") WHERE (completed_at IS NULL);
