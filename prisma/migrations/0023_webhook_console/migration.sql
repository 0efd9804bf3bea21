-- AlterTable
ALTER TABLE "webhook_attempts" ADD COLUMN     "request_headers" JSON;

-- AlterTable
ALTER TABLE "webhook_deliveries" ADD COLUMN     "duration_ms" INTEGER,
ADD COLUMN     "object_id" TEXT,
ADD COLUMN     "repeated" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "replay_id" TEXT;

-- CreateTable
CREATE TABLE "webhook_hours" (
    "subscription_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "hour" TIMESTAMPTZ(3) NOT NULL,
    "ok" BOOLEAN NOT NULL,
    "bucket" SMALLINT NOT NULL,
    "count" INTEGER NOT NULL,

    CONSTRAINT "webhook_hours_pkey" PRIMARY KEY ("subscription_id","hour","ok","bucket")
);

-- CreateTable
CREATE TABLE "webhook_replays" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'running',
    "total" INTEGER NOT NULL,
    "per_second" INTEGER,
    "released_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_by_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_replays_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE INDEX "webhook_hours_hour_idx" ON "webhook_hours"("hour");

-- CreateIndex
CREATE INDEX "webhook_hours_organization_id_idx" ON "webhook_hours"("organization_id");

-- CreateIndex
CREATE INDEX "webhook_replays_organization_id_subscription_id_uid_idx" ON "webhook_replays"("organization_id", "subscription_id", "uid");

-- CreateIndex
CREATE INDEX "webhook_replays_status_idx" ON "webhook_replays"("status") WHERE (status = 'running');

-- CreateIndex
CREATE INDEX "webhook_deliveries_subscription_id_event_type_uid_idx" ON "webhook_deliveries"("subscription_id", "event_type", "uid");

-- CreateIndex
CREATE INDEX "webhook_deliveries_subscription_id_response_status_uid_idx" ON "webhook_deliveries"("subscription_id", "response_status", "uid");

-- CreateIndex
CREATE INDEX "webhook_deliveries_organization_id_object_id_uid_idx" ON "webhook_deliveries"("organization_id", "object_id", "uid") WHERE (object_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "webhook_deliveries_replay_id_status_uid_idx" ON "webhook_deliveries"("replay_id", "status", "uid") WHERE (replay_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "webhook_deliveries_failing_idx" ON "webhook_deliveries"("subscription_id", "uid") WHERE (error IS NOT NULL AND NOT repeated);

-- AddForeignKey
ALTER TABLE "webhook_hours" ADD CONSTRAINT "webhook_hours_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_replays" ADD CONSTRAINT "webhook_replays_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- What was sent again before this version is not sent again by a replay.
UPDATE "webhook_deliveries" SET "repeated" = true
WHERE "uid" IN (SELECT "replay_of" FROM "webhook_deliveries" WHERE "replay_of" IS NOT NULL);
