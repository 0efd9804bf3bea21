-- outside a transaction
CREATE INDEX CONCURRENTLY IF NOT EXISTS "items_dataset_id_annotation_count_uid_idx" ON "items"("dataset_id", "annotation_count", "uid");

CREATE INDEX CONCURRENTLY IF NOT EXISTS "items_sha256_idx" ON "items"("dataset_id", "sha256") WHERE (sha256 IS NOT NULL);
