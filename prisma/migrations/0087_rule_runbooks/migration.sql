-- AlterTable
ALTER TABLE "rules" ADD COLUMN     "owner_id" TEXT,
ADD COLUMN     "runbook" TEXT;
