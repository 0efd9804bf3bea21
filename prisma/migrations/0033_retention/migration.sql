-- AlterTable
ALTER TABLE "organizations" ADD COLUMN     "quota_bytes" BIGINT;

-- CreateTable
CREATE TABLE "retention_runs" (
    "organization_id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),
    "freed" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "retention_runs_pkey" PRIMARY KEY ("organization_id")
);

-- AddForeignKey
ALTER TABLE "retention_runs" ADD CONSTRAINT "retention_runs_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
