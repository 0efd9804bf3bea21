-- AlterTable
ALTER TABLE "items" ADD COLUMN     "added_by_id" TEXT;

-- AlterTable
ALTER TABLE "datasets" ADD COLUMN     "access" TEXT NOT NULL DEFAULT 'organization';

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "access" TEXT NOT NULL DEFAULT 'organization';

-- CreateTable
CREATE TABLE "dataset_members" (
    "dataset_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "dataset_members_pkey" PRIMARY KEY ("dataset_id","user_id")
);

-- CreateTable
CREATE TABLE "project_members" (
    "project_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "project_members_pkey" PRIMARY KEY ("project_id","user_id")
);

-- CreateIndex
CREATE INDEX "dataset_members_user_id_idx" ON "dataset_members"("user_id");

-- CreateIndex
CREATE INDEX "project_members_user_id_idx" ON "project_members"("user_id");

-- CreateIndex
CREATE INDEX "datasets_assigned_idx" ON "datasets"("organization_id") WHERE (access = 'assigned');

-- CreateIndex
CREATE INDEX "projects_assigned_idx" ON "projects"("organization_id") WHERE (access = 'assigned');

-- AddForeignKey
ALTER TABLE "dataset_members" ADD CONSTRAINT "dataset_members_dataset_id_fkey" FOREIGN KEY ("dataset_id") REFERENCES "datasets"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "dataset_members" ADD CONSTRAINT "dataset_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_members" ADD CONSTRAINT "project_members_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_members" ADD CONSTRAINT "project_members_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
