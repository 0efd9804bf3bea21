-- AlterTable
ALTER TABLE "model_integrations" ADD COLUMN     "header_name" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "header_sealed" TEXT,
ADD COLUMN     "label_map" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "previous_sealed" TEXT,
ADD COLUMN     "previous_until" TIMESTAMPTZ(3),
ADD COLUMN     "secret_sealed" TEXT;

-- AlterTable
ALTER TABLE "model_predictions" ADD COLUMN     "labels" TEXT[],
ADD COLUMN     "max_score" REAL,
ADD COLUMN     "ms" INTEGER;

-- AlterTable
ALTER TABLE "model_runs" ADD COLUMN     "failed_count" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "model_failures" (
    "run_id" TEXT NOT NULL,
    "item_id" TEXT NOT NULL,
    "error" TEXT NOT NULL,

    CONSTRAINT "model_failures_pkey" PRIMARY KEY ("run_id","item_id")
);

-- AddForeignKey
ALTER TABLE "model_failures" ADD CONSTRAINT "model_failures_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "model_runs"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
