-- Revisions of an event that belong to another identity than `identity_no`, which has revisions of it too: the event counts
-- for the identity of its highest revision alone. Few, because events seldom change hands.
CREATE TABLE moved_events (
  identity_no INTEGER, first_seq DOUBLE, revision DOUBLE, timestamp DOUBLE, by_identity_no INTEGER
);

INSERT INTO moved_events
SELECT DISTINCT one.identity_no, other.first_seq, other.revision, other.timestamp, other.identity_no
FROM reputation_events AS one JOIN reputation_events AS other ON one.first_seq = other.first_seq
WHERE one.identity_no <> other.identity_no
  AND one.first_seq IN (SELECT first_seq FROM reputation_events WHERE first_seq < seq);
