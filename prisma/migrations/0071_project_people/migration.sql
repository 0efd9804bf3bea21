-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "annotators_open" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "review" TEXT NOT NULL DEFAULT 'all';

-- CreateTable
CREATE TABLE "project_people" (
    "project_id" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "organization_id" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "project_people_pkey" PRIMARY KEY ("project_id","user_id","role")
);

-- CreateIndex
CREATE INDEX "project_people_user_id_idx" ON "project_people"("user_id");

-- AddForeignKey
ALTER TABLE "project_people" ADD CONSTRAINT "project_people_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("uid") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "project_people" ADD CONSTRAINT "project_people_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
