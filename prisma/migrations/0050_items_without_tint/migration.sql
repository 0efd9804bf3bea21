-- CreateIndex
CREATE INDEX "items_without_tint_idx" ON "items"("dataset_id", "uid") WHERE (tint IS NULL AND thumbnail_key IS NOT NULL);
