-- CreateIndex
CREATE INDEX "alerts_inbox_idx" ON "alerts"("organization_id", "status", "severity_rank", "triggered_at", "uid");

-- CreateIndex
CREATE INDEX "alerts_inbox_assignee_idx" ON "alerts"("organization_id", "assignee_id", "status", "severity_rank", "triggered_at", "uid");

-- CreateIndex
CREATE INDEX "alerts_rule_id_device_id_triggered_at_uid_idx" ON "alerts"("rule_id", "device_id", "triggered_at", "uid");

-- CreateIndex
CREATE INDEX "recordings_organization_id_status_started_at_uid_idx" ON "recordings"("organization_id", "status", "started_at", "uid");

-- CreateIndex
CREATE INDEX "recordings_device_id_status_started_at_uid_idx" ON "recordings"("device_id", "status", "started_at", "uid");
