-- AlterTable
ALTER TABLE "model_predictions" ADD COLUMN     "clipped_count" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "model_runs" ADD COLUMN     "clipped_count" INTEGER NOT NULL DEFAULT 0;
