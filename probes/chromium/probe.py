"""Reads the clocks of a page in Chromium: python3 probe.py CHROMIUM plain|isolated SAMPLES PAIRS. The protocol is in
../README.md.

Serves page.html on the loopback and opens it without a window; the page reads, and posts what the protocol asks for. A
page is cross-origin isolated only by two headers of its server, so that a file would not do.
"""

import os
import subprocess
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, HTTPServer

program, mode, samples, pairs = sys.argv[1:]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "page.html"), "rb") as file:
    page = file.read()
result = []


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        found = self.path.startswith("/page?")
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        if mode == "isolated":
            self.send_header("Cross-Origin-Opener-Policy", "same-origin")
            self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.end_headers()
        if found:
            self.wfile.write(page)

    def do_POST(self):
        result.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", 0), Handler)
server.timeout = 0.2
# A profile of its own: the user's is not touched, and an open browser doesn't take the page over.
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    command = [program, "--headless", "--disable-gpu", "--no-first-run", "--disable-extensions"]
    command.append(f"--user-data-dir={profile}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--no-sandbox")  # Chromium refuses to start as root with it
    command.append(f"http://127.0.0.1:{server.server_port}/page?samples={samples}&pairs={pairs}")
    browser = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not result:
            server.handle_request()
            # A browser that is gone without a word has nothing to tell any more.
            if not result and browser.poll() is not None:
                sys.exit(f"chromium ended with status {browser.returncode} before the page was done")
    finally:
        browser.terminate()
        try:
            browser.wait(5)
        except subprocess.TimeoutExpired:
            browser.kill()
            browser.wait()
sys.stdout.buffer.write(result[0])
