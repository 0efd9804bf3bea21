-- CreateIndex
CREATE INDEX "recordings_organization_id_started_at_uid_idx" ON "recordings"("organization_id", "started_at", "uid");

-- CreateIndex
CREATE INDEX "recordings_organization_id_size_bytes_uid_idx" ON "recordings"("organization_id", "size_bytes", "uid");

-- CreateIndex
CREATE INDEX "recordings_organization_id_name_uid_idx" ON "recordings"("organization_id", "name", "uid");

-- CreateIndex
CREATE INDEX "recordings_device_id_started_at_uid_idx" ON "recordings"("device_id", "started_at", "uid");
