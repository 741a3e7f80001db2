-- When the newest evaluation of a window was received, so that reading a score needs no look at the evaluations.
ALTER TABLE windows ADD COLUMN last_arrival DOUBLE;
UPDATE windows SET last_arrival = e.received_at FROM evaluations e WHERE e.seq = windows.seq AND e.counts;
