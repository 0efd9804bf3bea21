-- outside a transaction
create index concurrently if not exists "alerts_device_id_triggered_at_uid_idx" on "alerts"("device_id", "triggered_at", "uid");
