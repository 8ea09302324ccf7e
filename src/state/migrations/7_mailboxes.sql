-- Decision D-167: confirmation mails count by mailbox. An earlier address with a tag counts as one of its own until
-- it is asked again.
ALTER TABLE confirmations ADD COLUMN mailbox BLOB;
UPDATE confirmations SET mailbox = address;
CREATE INDEX confirmations_of_mailbox ON confirmations (mailbox);
CREATE INDEX declined_mailboxes ON confirmations (mailbox) WHERE declined_at IS NOT NULL;
-- A server of the version before, which runs until it is started again, does not state it.
CREATE TRIGGER confirmations_have_a_mailbox AFTER INSERT ON confirmations WHEN new.mailbox IS NULL BEGIN
    UPDATE confirmations SET mailbox = address WHERE address = new.address;
END;
