"""The client against a real server on a real socket that misbehaves."""

import hashlib
import hmac
import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

from renown import Renown, RenownError


class Server:
    """Answers with one (status, headers, body) for each request, and keeps what it was sent."""

    def __init__(self, *answers):
        self.received = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                outer.received.append((self.path, dict(self.headers), text))
                status, headers, body = answers[min(len(outer.received), len(answers)) - 1]
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

            do_GET = do_POST

            def log_message(self, *_):
                pass

        self._http = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self):
        self._http.shutdown()
        self._http.server_close()


TAKEN = (202, {}, {"accepted": 1, "duplicates": [], "reputations": {"a": {"score": 1}}})


class RenownTest(unittest.TestCase):
    def start(self, *answers, **options):
        server = Server(*answers)
        self.addCleanup(server.close)
        self.slept = []
        return server, Renown(server.url, key="pk", sleep=self.slept.append, draw=lambda: 1.0, **options)

    def test_evaluates_under_one_id_however_often_it_asks(self):
        server, renown = self.start((503, {}, {}), (200, {}, {"passed": True}))
        self.assertEqual(renown.evaluate("a", "x", tool="t"), {"passed": True})
        first, second = (json.loads(text) for _, _, text in server.received)
        self.assertEqual(first, second)
        self.assertEqual((first["agent_id"], first["output"], first["tool"]), ("a", "x", "t"))
        self.assertEqual(self.slept, [0.5])

    def test_waits_as_long_as_it_is_told(self):
        _, renown = self.start((429, {"Retry-After": "7"}, {}), TAKEN)
        renown.ingest([{"agent_id": "a"}])
        self.assertEqual(self.slept, [7.0])

    def test_waits_until_the_date_it_is_told(self):
        date = {"Retry-After": "Sun, 15 Nov 2026 08:00:09 GMT"}
        _, renown = self.start((503, date, {}), TAKEN, clock=lambda: 1794729600.0)
        renown.ingest([{"agent_id": "a"}])
        self.assertEqual(self.slept, [9.0])

    def test_takes_half_an_answer_and_foreign_pages_for_none(self):
        half = (200, {"Content-Length": "99"}, b'{"passed":')
        server, renown = self.start((200, {}, b"<html>"), half, (200, {}, {"passed": True}))
        self.assertEqual(renown.evaluate("a", "x"), {"passed": True})
        self.assertEqual(len(server.received), 3)

    def test_takes_its_key_nowhere_else(self):
        elsewhere, _ = self.start(TAKEN)
        server, renown = self.start((302, {"Location": elsewhere.url + "/v1/ingest"}, {}))
        with self.assertRaises(RenownError) as refused:
            renown.ingest([{"agent_id": "a"}])
        self.assertEqual(refused.exception.status, 302)
        self.assertEqual((len(server.received), len(elsewhere.received)), (1, 0))

    def test_says_what_the_server_refused(self):
        details = [{"path": "events[0].passed", "message": "must be true or false"}]
        server, renown = self.start((400, {}, {"code": "invalid_request", "error": "bad", "details": details}))
        with self.assertRaises(RenownError) as refused:
            renown.ingest([{"agent_id": "a"}])
        self.assertEqual((refused.exception.code, refused.exception.details), ("invalid_request", details))
        self.assertEqual(len(server.received), 1)

    def test_sends_a_thousand_to_a_request(self):
        server, renown = self.start(TAKEN)
        self.assertEqual(renown.ingest({"agent_id": "a"} for _ in range(1500))["accepted"], 2)
        self.assertEqual([len(json.loads(text)["events"]) for _, _, text in server.received], [1000, 500])

    def test_signs_never_twice_the_same_way(self):
        server, renown = self.start((500, {}, {}), TAKEN, signing_secret="s", clock=lambda: 5.5)
        renown.ingest([{"agent_id": "a"}])
        for seconds, (_, headers, text) in zip((5, 6), server.received):
            digest = hmac.new(b"s", f"{seconds}.".encode() + text, hashlib.sha256).hexdigest()
            signature = {name.lower(): value for name, value in headers.items()}["x-renown-signature"]
            self.assertEqual(signature, f"t={seconds},v1={digest}")

    def test_encodes_the_names_of_agents(self):
        server, renown = self.start((200, {}, {"score": 7}))
        self.assertEqual(renown.reputation("a/b ü"), {"score": 7})
        self.assertEqual(server.received[0][0], "/v1/reputation/a%2Fb%20%C3%BC")

    def test_gives_up_when_nobody_is_there(self):
        server, renown = self.start(TAKEN)
        server.close()
        with self.assertRaises(RenownError) as refused:
            renown.reputation("a")
        self.assertEqual(refused.exception.code, "server_unavailable")
        self.assertEqual(self.slept, [0.5, 1.0, 2.0])


if __name__ == "__main__":
    unittest.main()
