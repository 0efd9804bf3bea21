-- AlterTable
ALTER TABLE "rules" ADD COLUMN     "live" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "live_since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- CreateTable
CREATE TABLE "live_rule_states" (
    "rule_id" TEXT NOT NULL,
    "device_id" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,
    "evaluated_at" TIMESTAMPTZ(3) NOT NULL,
    "next_at" TIMESTAMPTZ(3),
    "alerting" BOOLEAN NOT NULL DEFAULT false,
    "state" JSONB,

    CONSTRAINT "live_rule_states_pkey" PRIMARY KEY ("rule_id","device_id")
);

-- CreateIndex
CREATE INDEX "live_rule_states_device_id_idx" ON "live_rule_states"("device_id");

-- CreateIndex
CREATE INDEX "rules_live_idx" ON "rules"("organization_id", "uid") WHERE (live AND enabled);

-- AddForeignKey
ALTER TABLE "live_rule_states" ADD CONSTRAINT "live_rule_states_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "rules"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "live_rule_states" ADD CONSTRAINT "live_rule_states_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- The built-in rule "Battery low", off, as new organizations have it (server/features/membership/builtin-rules-service.ts).
WITH made AS (
  INSERT INTO "rules" ("uid", "organization_id", "name", "description", "enabled", "builtin", "live", "condition_type", "condition", "actions", "updated_at")
  SELECT 'rul_' || substr(stamp, 1, 8) || '-' || substr(stamp, 9, 4) || '-7' || substr(noise, 1, 3) || '-8' || substr(noise, 4, 3) || '-' || substr(noise, 7, 12),
    o."uid", 'Battery low',
    'Raises an alert when the battery of a device is below 20 % for five minutes, and resolves it when it is not. It reads '
      || '`battery_percent`, `battery_percentage` and `battery`, which may be a share or percent.',
    false, true, true, 'composite',
    '{"type": "composite", "operator": "or", "conditions": [
      {"type": "threshold", "topic": "@heartbeat", "field": "battery_percent", "operator": "lt", "value": 20, "window": "5m"},
      {"type": "threshold", "topic": "@heartbeat", "field": "battery_percentage", "operator": "lt", "value": 20, "window": "5m"},
      {"type": "threshold", "topic": "@heartbeat", "field": "battery", "operator": "lt", "value": 0.2, "window": "5m"},
      {"type": "threshold", "topic": "@heartbeat", "field": "battery", "operator": "between", "value": [1.01, 20], "window": "5m"}]}'::jsonb,
    '[{"type": "flag_for_review"}]'::jsonb, now()
  FROM "organizations" o, LATERAL (
    SELECT lpad(to_hex(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') AS stamp, md5(random()::text || o."uid") AS noise) id
  RETURNING "uid", "condition", "actions"
)
INSERT INTO "rule_versions" ("rule_id", "version", "condition", "actions") SELECT "uid", 1, "condition", "actions" FROM made;
