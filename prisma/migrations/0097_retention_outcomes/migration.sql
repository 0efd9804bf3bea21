-- AlterTable
ALTER TABLE "retention_runs" ADD COLUMN     "error" TEXT,
ADD COLUMN     "failed_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "operator_retention" (
    "single" BOOLEAN NOT NULL DEFAULT true,
    "finished_at" TIMESTAMPTZ(3),
    "failed_at" TIMESTAMPTZ(3),
    "error" TEXT,

    CONSTRAINT "operator_retention_pkey" PRIMARY KEY ("single")
);
