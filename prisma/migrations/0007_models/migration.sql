-- CreateTable
CREATE TABLE "models" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT,
    "name" TEXT NOT NULL,
    "description" TEXT NOT NULL DEFAULT '',
    "model_type_name" TEXT NOT NULL,
    "model_type_description" TEXT NOT NULL DEFAULT '',
    "is_public" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "models_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "model_integrations" (
    "uid" TEXT NOT NULL,
    "model_id" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "config_type" TEXT NOT NULL DEFAULT 'batch',
    "config_uid" TEXT NOT NULL,
    "url" TEXT NOT NULL DEFAULT '',
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_integrations_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "model_runs" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "integration_id" TEXT NOT NULL,
    "dataset_id" TEXT NOT NULL,
    "item_ids" TEXT[],
    "status" TEXT NOT NULL DEFAULT 'pending',
    "total_count" INTEGER,
    "done_count" INTEGER NOT NULL DEFAULT 0,
    "error_message" TEXT,
    "created_by_id" TEXT,
    "completed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_runs_pkey" PRIMARY KEY ("uid")
);

-- CreateTable
CREATE TABLE "model_predictions" (
    "run_id" TEXT NOT NULL,
    "item_id" TEXT NOT NULL,
    "dataset_id" TEXT NOT NULL,
    "nodes" JSONB NOT NULL,

    CONSTRAINT "model_predictions_pkey" PRIMARY KEY ("run_id","item_id")
);

-- CreateIndex
CREATE INDEX "models_organization_id_uid_idx" ON "models"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "models_is_public_uid_idx" ON "models"("is_public", "uid");

-- CreateIndex
CREATE INDEX "model_integrations_model_id_uid_idx" ON "model_integrations"("model_id", "uid");

-- CreateIndex
CREATE INDEX "model_runs_organization_id_uid_idx" ON "model_runs"("organization_id", "uid");

-- CreateIndex
CREATE INDEX "model_runs_organization_id_status_uid_idx" ON "model_runs"("organization_id", "status", "uid");

-- CreateIndex
CREATE INDEX "model_runs_dataset_id_uid_idx" ON "model_runs"("dataset_id", "uid");

-- AddForeignKey
ALTER TABLE "models" ADD CONSTRAINT "models_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_integrations" ADD CONSTRAINT "model_integrations_model_id_fkey" FOREIGN KEY ("model_id") REFERENCES "models"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_runs" ADD CONSTRAINT "model_runs_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_runs" ADD CONSTRAINT "model_runs_integration_id_fkey" FOREIGN KEY ("integration_id") REFERENCES "model_integrations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_predictions" ADD CONSTRAINT "model_predictions_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "model_runs"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- The model of the house, which every organization may use.
INSERT INTO "models" ("uid", "name", "description", "model_type_name", "model_type_description", "is_public")
VALUES ('01920000-0000-7000-8000-000000000001', 'Standout', 'Marks the largest region of a picture that stands out from its mean brightness. A baseline to try the flow with.',
  'object-detection', 'Boxes around objects', true);
INSERT INTO "model_integrations" ("uid", "model_id", "provider", "name", "config_type", "config_uid")
VALUES ('01920000-0000-7000-8000-000000000002', '01920000-0000-7000-8000-000000000001', 'builtin', 'In the house', 'batch', '01920000-0000-7000-8000-000000000003');
