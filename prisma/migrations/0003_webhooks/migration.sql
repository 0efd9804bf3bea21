-- CreateTable
CREATE TABLE "webhook_subscriptions" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "target_url" TEXT NOT NULL,
    "normalized_url" TEXT NOT NULL,
    "events" TEXT[],
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "disabled_reason" TEXT NOT NULL DEFAULT '',
    "disabled_at" TIMESTAMPTZ(3),
    "secret_sealed" TEXT NOT NULL,
    "previous_sealed" TEXT,
    "previous_until" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "created_by_id" TEXT,
    "demo" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_subscriptions_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "subscription_id" TEXT NOT NULL,
    "event_type" TEXT NOT NULL,
    "payload" JSON NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3),
    "response_status" INTEGER,
    "response_body" TEXT,
    "error" TEXT,
    "replay_of" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "webhook_attempts" (
    "uid" TEXT NOT NULL,
    "delivery_id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "ok" BOOLEAN NOT NULL,
    "status_code" INTEGER,
    "error" TEXT,
    "response" TEXT,

    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE INDEX "webhook_subscriptions_organization_id_uid_idx" ON "webhook_subscriptions"("organization_id", "uid");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_subscriptions_organization_id_normalized_url_key" ON "webhook_subscriptions"("organization_id", "normalized_url");

-- CreateIndex
CREATE INDEX "webhook_deliveries_organization_id_uid_idx" ON "webhook_deliveries"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "webhook_deliveries_organization_id_status_uid_idx" ON "webhook_deliveries"("organization_id", "status", "uid");

-- CreateIndex
CREATE INDEX "webhook_deliveries_subscription_id_uid_idx" ON "webhook_deliveries"("subscription_id", "uid");

-- CreateIndex
CREATE INDEX "webhook_deliveries_replay_of_idx" ON "webhook_deliveries"("replay_of");

-- CreateIndex
CREATE INDEX "webhook_deliveries_subscription_id_status_uid_idx" ON "webhook_deliveries"("subscription_id", "status", "uid");

-- CreateIndex
CREATE INDEX "webhook_deliveries_status_subscription_id_next_attempt_at_idx" ON "webhook_deliveries"("status", "subscription_id", "next_attempt_at");

-- CreateIndex
CREATE INDEX "webhook_attempts_delivery_id_uid_idx" ON "webhook_attempts"("delivery_id", "uid");

-- AddForeignKey
ALTER TABLE "webhook_subscriptions" ADD CONSTRAINT "webhook_subscriptions_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_deliveries"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
