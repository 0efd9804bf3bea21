-- AlterTable
ALTER TABLE "storage_configs" ADD COLUMN     "failing_since" TIMESTAMPTZ(3),
ADD COLUMN     "tested_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "storage_tests" (
    "uid" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "storage_config_id" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "by_name" TEXT NOT NULL,
    "passed" BOOLEAN NOT NULL,
    "checks" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "storage_tests_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE INDEX "storage_tests_storage_config_id_uid_idx" ON "storage_tests"("storage_config_id", "uid");

-- CreateIndex
CREATE INDEX "datasets_storage_config_id_idx" ON "datasets"("storage_config_id") WHERE (storage_config_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "exports_storage_config_id_idx" ON "exports"("storage_config_id") WHERE (storage_config_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "storage_configs_tested_at_idx" ON "storage_configs"("tested_at");

-- AddForeignKey
ALTER TABLE "storage_tests" ADD CONSTRAINT "storage_tests_storage_config_id_fkey" FOREIGN KEY ("storage_config_id") REFERENCES "storage_configs"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
