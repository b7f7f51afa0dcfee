"""A small keyring (Secret Service) behind a socket that is a bus and a service in one. `keyring_server.py SOCKET [locked|refuses]`.

It speaks as much of D-Bus as a client of it needs, and prints each thing that was asked of it.
"""
import os, socket, struct, sys, threading

HOW = sys.argv[2] if len(sys.argv) > 2 else "open"
OWNER = ":1.9"
COLLECTION, PROMPT, NONE = "/org/freedesktop/secrets/collection/login", "/org/freedesktop/secrets/prompt/1", "/"
items, is_locked = {}, HOW in ("locked", "refuses")


def align(signature):
    return {"y": 1, "g": 1, "v": 1, "n": 2, "q": 2, "b": 4, "i": 4, "u": 4, "s": 4, "o": 4, "a": 4}.get(signature[0], 8)


def first(signature):
    """The first whole type of a signature."""
    if signature[0] == "a":
        return "a" + first(signature[1:])
    if signature[0] not in "({":
        return signature[0]
    depth = 0
    for at, letter in enumerate(signature):
        depth += (letter in "({") - (letter in ")}")
        if depth == 0:
            return signature[: at + 1]


def types(signature):
    while signature:
        one = first(signature)
        yield one
        signature = signature[len(one):]


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def skip(self, to):
        self.at = (self.at + to - 1) // to * to

    def number(self, kind, size):
        self.skip(size)
        self.at += size
        return struct.unpack("<" + kind, self.data[self.at - size:self.at])[0]

    def text(self, size):
        length = self.number("I", 4) if size == 4 else self.number("B", 1)
        self.at += length + 1
        return self.data[self.at - length - 1:self.at - 1].decode()

    def one(self, signature):
        kind = signature[0]
        if kind in "so":
            return self.text(4)
        if kind == "g":
            return self.text(1)
        if kind == "v":
            return self.one(self.text(1))
        if kind == "a":
            length = self.number("I", 4)
            self.skip(align(signature[1:]))
            end, found = self.at + length, []
            while self.at < end:
                found.append(self.one(signature[1:]))
            return dict(found) if signature[1] == "{" else found
        if kind in "({":
            self.skip(8)
            return tuple(self.one(part) for part in types(signature[1:-1]))
        return self.number({"y": "B", "b": "I", "u": "I", "i": "i", "q": "H", "n": "h", "t": "Q", "x": "q"}[kind], align(kind))


def put(out, signature, value):
    kind = signature[0]
    out.extend(b"\0" * (-len(out) % align(signature)))
    if kind in "so":
        out.extend(struct.pack("<I", len(value.encode())) + value.encode() + b"\0")
    elif kind == "g":
        out.extend(bytes([len(value)]) + value.encode() + b"\0")
    elif kind == "v":
        put(out, "g", value[0])
        put(out, value[0], value[1])
    elif kind == "a":
        at = len(out)
        out.extend(b"\0\0\0\0" + b"\0" * (-(len(out) + 4) % align(signature[1:])))
        start = len(out)
        for one in value:
            put(out, signature[1:], one)
        out[at:at + 4] = struct.pack("<I", len(out) - start)
    elif kind in "({":
        for part, one in zip(types(signature[1:-1]), value):
            put(out, part, one)
    else:
        out.extend(struct.pack({"y": "<B", "b": "<I", "u": "<I"}[kind], value))


def message(kind, serial, fields, signature, values):
    body = bytearray()
    for part, value in zip(types(signature), values):
        put(body, part, value)
    if signature:
        fields = [*fields, (8, ("g", signature))]
    head = bytearray(b"l" + bytes([kind, 0, 1]) + struct.pack("<II", len(body), serial))
    put(head, "a(yv)", fields)
    head.extend(b"\0" * (-len(head) % 8))
    return bytes(head + body)


def answer(path, method, body):
    """The signature and the values of an answer."""
    global is_locked
    if method == "Hello":
        return "s", [":1.1"]
    if method == "GetNameOwner":
        return "s", [OWNER]
    if method == "OpenSession":
        return "vo", [("s", ""), "/org/freedesktop/secrets/session/1"]
    if method == "ReadAlias":
        return "o", [COLLECTION]
    if method == "Unlock":
        return "aoo", [[], PROMPT] if is_locked else [body[0], NONE]
    if method == "Prompt":
        if HOW == "locked":
            is_locked = False
        return "", []
    if method == "SearchItems":
        found = [item for item, (about, _) in items.items() if about == body[0]]
        return "aoao", [[], found] if is_locked else [found, []]
    if method == "CreateItem":
        about = body[0]["org.freedesktop.Secret.Item.Attributes"]
        item = next((item for item, kept in items.items() if kept[0] == about), f"{COLLECTION}/{len(items) + 1}")
        items[item] = (about, body[1])
        return "oo", [item, NONE]
    if method == "GetSecret":
        return "(oayays)", [items[path][1]]
    if method == "Delete":
        del items[path]
        return "o", [NONE]
    return "", []


def serve(client):
    stream = client.makefile("rwb", buffering=0)
    stream.read(1)
    while (line := stream.readline().strip()) != b"BEGIN":
        stream.write({b"AUTH": b"OK 0123456789abcdef0123456789abcdef\r\n"}.get(line[:4], b"ERROR\r\n"))

    def exactly(size):
        data = b""
        while len(data) < size:
            if not (more := client.recv(size - len(data))):
                raise EOFError
            data += more
        return data

    serial = 0
    while True:
        start = exactly(16)
        length, sent, of_fields = struct.unpack("<I", start[4:8])[0], struct.unpack("<I", start[8:12])[0], struct.unpack("<I", start[12:16])[0]
        rest = exactly((of_fields + 7) // 8 * 8 + length)
        reader = Reader(start + rest)
        reader.at = 12
        fields = dict(reader.one("a(yv)"))
        reader.skip(8)
        body = Reader((start + rest)[reader.at:])
        body = [body.one(part) for part in types(fields.get(8, ""))]
        print(fields[3], flush=True)
        signature, values = answer(fields[1], fields[3], body)
        serial += 1
        client.sendall(message(2, serial, [(5, ("u", sent)), (7, ("s", OWNER))], signature, values))
        if fields[3] == "Prompt":
            serial += 1
            about = [(1, ("o", PROMPT)), (2, ("s", "org.freedesktop.Secret.Prompt")), (3, ("s", "Completed")), (7, ("s", OWNER))]
            client.sendall(message(4, serial, about, "bv", [HOW == "refuses", ("s", "")]))


def served(client):
    try:
        serve(client)
    except (EOFError, ConnectionError):
        pass


listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(20)
print("ready", flush=True)
while True:
    threading.Thread(target=served, args=(listener.accept()[0],), daemon=True).start()
