"""A small MCP server over HTTP that wants a login, and the authorization server for it, for tests. Prints its address.

It keeps to the rules that matter: a client registers itself, proves with S256 that it is who began (PKCE), gets codes and refresh tokens
that count once, and names the resource it wants tokens for. `expired` gives tokens that are over at once.
"""

import base64
import hashlib
import json
import secrets
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

clients, codes, refreshes, tokens, asked = {}, {}, set(), set(), []


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, body=None, **headers):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        base = f"http://{self.headers['host']}"
        path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        if path == "/.well-known/oauth-protected-resource/mcp":
            return self.answer(200, {"resource": f"{base}/mcp", "authorization_servers": [base], "scopes_supported": ["notes"]})
        if path == "/.well-known/oauth-authorization-server":
            return self.answer(200, {
                "issuer": base, "authorization_endpoint": f"{base}/authorize", "token_endpoint": f"{base}/token",
                "registration_endpoint": f"{base}/register", "code_challenge_methods_supported": ["S256"],
                "response_types_supported": ["code"], "grant_types_supported": ["authorization_code", "refresh_token"],
                "token_endpoint_auth_methods_supported": ["none"], "scopes_supported": ["notes"]})
        if path == "/authorize":
            one = {name: values[0] for name, values in query.items()}
            client = clients.get(one.get("client_id"))
            if not client or one.get("redirect_uri") not in client or one.get("code_challenge_method") != "S256":
                return self.answer(400, {"error": "invalid_request"})
            code = secrets.token_urlsafe()
            codes[code] = one
            back = urlencode({"code": code, "state": one["state"], "iss": base})
            return self.answer(302, location=f"{one['redirect_uri']}?{back}")
        if path == "/asked":
            return self.answer(200, asked)
        return self.answer(405 if path == "/mcp" else 404)

    def do_DELETE(self):
        self.answer(200)

    def do_POST(self):
        base = f"http://{self.headers['host']}"
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        if self.path == "/register":
            wanted = json.loads(body)
            client = secrets.token_urlsafe()
            clients[client] = wanted["redirect_uris"]
            return self.answer(201, {"client_id": client, "redirect_uris": wanted["redirect_uris"], "token_endpoint_auth_method": "none"})
        if self.path == "/token":
            return self.token({name: values[0] for name, values in parse_qs(body).items()}, base)
        if self.path != "/mcp":
            return self.answer(404)
        token = (self.headers.get("authorization") or "").removeprefix("Bearer ")
        if token not in tokens:
            where = f'Bearer resource_metadata="{base}/.well-known/oauth-protected-resource/mcp"'
            return self.answer(401, www_authenticate=where)
        message = json.loads(body)
        if "id" not in message:
            return self.answer(202)
        result = self.result(message)
        if result is None:
            return self.answer(200, {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "unknown"}})
        self.answer(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})

    def token(self, given, base):
        asked.append(given["grant_type"])
        if given["grant_type"] == "authorization_code":
            begun = codes.pop(given.get("code"), None)
            proof = base64.urlsafe_b64encode(hashlib.sha256(given.get("code_verifier", "").encode()).digest()).decode().rstrip("=")
            if not begun or proof != begun["code_challenge"] or given.get("redirect_uri") != begun["redirect_uri"]:
                return self.answer(400, {"error": "invalid_grant"})
        elif given.get("refresh_token") in refreshes:
            refreshes.remove(given["refresh_token"])
        else:
            return self.answer(400, {"error": "invalid_grant"})
        if given.get("resource") != f"{base}/mcp":
            return self.answer(400, {"error": "invalid_target"})
        token, refresh = secrets.token_urlsafe(), secrets.token_urlsafe()
        refreshes.add(refresh)
        is_over = "expired" in sys.argv and given["grant_type"] == "authorization_code"
        tokens.add(token)
        self.answer(200, {"access_token": token, "token_type": "Bearer", "expires_in": 1 if is_over else 3600,
                          "refresh_token": refresh, "scope": "notes"})

    def result(self, message):
        method, params = message["method"], message.get("params") or {}
        if method == "initialize":
            return {"protocolVersion": params.get("protocolVersion"), "capabilities": {"tools": {}},
                    "serverInfo": {"name": "notes", "version": "1"}}
        if method == "tools/list":
            return {"tools": [{"name": "note", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]}
        if method == "tools/call":
            return {"content": [{"type": "text", "text": "behind the login"}]}
        return {} if method == "ping" else None


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
