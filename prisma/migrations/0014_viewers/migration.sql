-- AlterTable
ALTER TABLE "invitations" ADD COLUMN     "read_only" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "memberships" ADD COLUMN     "read_only" BOOLEAN NOT NULL DEFAULT false;
