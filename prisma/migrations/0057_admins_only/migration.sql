-- AlterTable
ALTER TABLE "exports" ADD COLUMN     "admins_only" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "model_runs" ADD COLUMN     "admins_only" BOOLEAN NOT NULL DEFAULT false;
