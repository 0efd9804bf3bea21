-- AlterTable
ALTER TABLE "tasks" ADD COLUMN     "assigned_by" TEXT,
ADD COLUMN     "lease_hash" TEXT,
ADD COLUMN     "lease_until" TIMESTAMPTZ(3),
ADD COLUMN     "lease_user" TEXT,
ADD COLUMN     "priority" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "seconds" INTEGER NOT NULL DEFAULT 0;
