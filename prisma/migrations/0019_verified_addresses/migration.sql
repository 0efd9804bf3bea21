-- AlterTable
ALTER TABLE "users" ADD COLUMN     "disabled_at" TIMESTAMPTZ(3),
ADD COLUMN     "email_verified_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP;

-- Accounts made before addresses were verified keep what they could do. Only the default of a constant is stored.
ALTER TABLE "users" ALTER COLUMN "email_verified_at" DROP DEFAULT;

-- CreateTable
CREATE TABLE "mail_links" (
    "uid" TEXT NOT NULL,
    "user_id" TEXT NOT NULL,
    "purpose" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "token_hash" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mail_links_pkey" PRIMARY KEY ("uid")
);

-- CreateIndex
CREATE UNIQUE INDEX "mail_links_token_hash_key" ON "mail_links"("token_hash");

-- CreateIndex
CREATE INDEX "mail_links_user_id_created_at_idx" ON "mail_links"("user_id", "created_at");

-- CreateIndex
CREATE INDEX "mail_links_created_at_idx" ON "mail_links"("created_at");

-- AddForeignKey
ALTER TABLE "mail_links" ADD CONSTRAINT "mail_links_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("uid") ON DELETE CASCADE ON UPDATE CASCADE;
